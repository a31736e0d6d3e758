// SPDX-License-Identifier: Apache-2.0
#include "tests/support/random_bring.h"

#include <algorithm>

#include "thimble/plan/derive.h"
#include "thimble/plan/packed_forms.h"

namespace thimble::testing {
namespace {

class RandomBringer {
 public:
  RandomBringer(const AxisGraph& axes, zoo::Random& random, Plan& plan)
      : random_(random),
        axes_(axes),
        plan_(plan),
        flow_(axes, plan.instances),
        forms_(axes.graph()) {}

  BroughtCounts run() {
    for (Member& member : plan_.members) {
      derived_.reset();
      step_ = 0;
      if (const auto* group = std::get_if<Group>(&member.what)) derived_ = derive(flow_, *group);
      const bool by_tiles = derived_ && derived_->flat;
      if (!by_tiles) visit(member);
    }
    return counts_;
  }

 private:
  void visit(Member& member) {
    if (auto* group = std::get_if<Group>(&member.what)) {
      for (Member& inner : group->members) visit(inner);
      return;
    }
    auto& call = std::get<InstanceCall>(member.what);
    if (random_.chance(0.6)) bring(call);
    if (!derived_) return;
    do ++step_;
    while (step_ < derived_->steps.size() &&
           derived_->steps[step_].kind != DerivedStep::Kind::kCall);
  }

  void bring(InstanceCall& call) {
    const OpId op = plan_.instances.instance(call.instance).op;
    if (!op.valid() || call.method != Method::kCompute) return;
    const std::vector<KernelUse>& uses = axes_.kernel_uses().uses_of(op, call.method);
    if (uses.size() != 1) return;
    const KernelId kernel = chosen({}, uses[0]);
    if (forms_.sizes(op, kernel).empty()) return;
    const int64_t all = packed_channels(axes_.graph(), axes_.graph().op(op));
    Brought brought{.from = kFirstFurtherMemory, .kernel = kernel, .channels = all};
    int loops = 0;
    if (derived_) {
      while (derived_->steps[step_].kind != DerivedStep::Kind::kCall) ++step_;
      loops = loops_around();
      const IndexExpr& channel = derived_->steps[step_].region.back().begin;
      const int64_t tile = channel.terms.size() == 1 ? channel.terms[0].coefficient : 0;
      const bool aligned = channel.divisor == 1 && channel.base == 0 && tile > 0 && tile < all;
      if (aligned && forms_.layout({op, kernel, tile}) && records_hold(tile) && random_.chance(0.8))
        brought.channels = tile;
    }
    const std::optional<RecordLayout> layout = forms_.layout({op, kernel, brought.channels});
    brought.records = layout->count;
    brought.record_bytes = layout->record_bytes;
    brought.depth = static_cast<int>(random_.between(0, loops));
    brought.ahead = random_.chance(0.5);
    brought.early = random_.chance(0.5);
    call.constants = brought;
    ++counts_.calls;
    counts_.in_records += brought.records > 1 ? 1 : 0;
    counts_.ahead += brought.ahead ? 1 : 0;
    counts_.early += brought.early ? 1 : 0;
    counts_.in_loops += brought.depth > 0 ? 1 : 0;
  }

  // Each tile has the channels of one record.
  bool records_hold(int64_t tile) const {
    const IntervalExpr& channels = derived_->steps[step_].region.back();
    return !channels.within && channels.end.terms == channels.begin.terms &&
           channels.end.divisor == 1 && channels.end.base <= tile;
  }

  int loops_around() const {
    int count = 0;
    const auto at = static_cast<Position>(step_);
    for (const DerivedLoop& loop : derived_->loops)
      count += loop.steps.begin <= at && at < loop.steps.end ? 1 : 0;
    return count;
  }

  zoo::Random& random_;
  const AxisGraph& axes_;
  Plan& plan_;
  const Dataflow flow_;
  PackedForms forms_;
  std::optional<Derived> derived_;  ///< of the group at hand
  size_t step_ = 0;                 ///< of the call at hand
  BroughtCounts counts_;
};

}  // namespace

BroughtCounts bring_at_random(const AxisGraph& axes, zoo::Random& random, Plan& plan) {
  return RandomBringer(axes, random, plan).run();
}

}  // namespace thimble::testing
