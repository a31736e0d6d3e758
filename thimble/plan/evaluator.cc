// SPDX-License-Identifier: Apache-2.0
#include "thimble/plan/evaluator.h"

#include <algorithm>
#include <numeric>

#include "thimble/layout/bound.h"
#include "thimble/layout/layout.h"
#include "thimble/model/error.h"
#include "thimble/operators/operators.h"
#include "thimble/plan/group_lead.h"

namespace thimble {
namespace {

Work& operator+=(Work& sum, const Work& part) {
  sum.macs += part.macs;
  sum.elements += part.elements;
  sum.calls += part.calls;
  sum.traffic_bytes += part.traffic_bytes;
  return sum;
}

/// The hash of a sequence of numbers.
class Mixer {
 public:
  void add(int64_t value) {
    hash_ = (hash_ ^ static_cast<uint64_t>(value)) * 0x9E3779B97F4A7C15U;
    hash_ ^= hash_ >> 29;
  }
  void add(const Group& group) {
    const TileLoop& loop = group.loop;
    add(loop.paced.value);
    add(loop.axis);
    add(loop.step);
    add(static_cast<int64_t>(loop.border));
    for (const auto& [value, border] : loop.others) {
      add(value.value);
      add(static_cast<int64_t>(border));
    }
    for (const auto& [value, axis] : loop.alongside) {
      add(value.value);
      add(axis);
    }
    add(loop.transfers_beside ? 1 : 0);
    for (const Member& member : group.members) {
      if (const auto* call = std::get_if<InstanceCall>(&member.what)) {
        add(call->instance.value);
        add(static_cast<int64_t>(call->method));
      } else {
        add(std::get<Group>(member.what));
      }
    }
    add(-1);
  }
  [[nodiscard]] size_t result() const { return hash_; }

 private:
  uint64_t hash_ = 0;
};

Work whole_work(const Dataflow& flow, const InstanceCall& call) {
  const OpId op = flow.instances.instance(call.instance).op;
  const ValueId made = flow.made_by(call);
  const int64_t count = elements(flow.shape(made));
  Work result{.calls = 1};
  if (!op.valid()) {
    result.traffic_bytes = count * size_bytes(flow.graph.tensor(flow.tensor(made)).type);
    return result;
  }
  result.elements = count;
  if (call.method != Method::kFinalise) result.macs = macs(flow.graph, flow.graph.op(op));
  return result;
}

}  // namespace

size_t Evaluator::Hash::operator()(const Group& group) const {
  Mixer mixer;
  mixer.add(group);
  return mixer.result();
}

/// One plan: lives of the values outside of groups, then the layout problem.
class Evaluator::Sum {
 public:
  explicit Sum(Evaluator& evaluator)
      : evaluator_(evaluator),
        flow_(evaluator.flow_),
        ranges_(evaluator.size_bytes_.size(), {-1, -1}),
        maker_(ranges_.size()),
        number_(ranges_.size(), -1) {}

  /// False if a group has no derivation.
  bool add(const std::vector<Member>& members) {
    for (const ValueId v : flow_.instances.inputs) touch(v, 0, 0);
    for (const Member& member : members) {
      if (const auto* call = std::get_if<InstanceCall>(&member.what)) {
        add(*call);
        continue;
      }
      const GroupCost* group = evaluator_.group(std::get<Group>(member.what));
      if (group == nullptr) return false;
      add(*group);
    }
    for (const ValueId v : flow_.instances.outputs) touch(v, at_, at_);
    return true;
  }

  Cost cost(const Plan& plan) {
    for (size_t v = 0; v < ranges_.size(); ++v) {
      if (ranges_[v].begin < 0) continue;
      number_[v] = static_cast<int>(problem_.buffers.size());
      add_buffer(evaluator_.size_bytes_[v], ranges_[v]);
    }
    for (const OverlapChoice& o : plan.overlaps) overlap(o.out, o.in);
    for (const ValueId v : finalised_) overlap(v, flow_.sums_of(v));
    return {peak_bytes(), work_};
  }

 private:
  void touch(ValueId v, Position begin, Position end) {
    if (evaluator_.size_bytes_[v.index()] == 0) return;
    LiveRange& range = ranges_[v.index()];
    range.begin = range.begin < 0 ? begin : std::min(range.begin, begin);
    range.end = std::max(range.end, end);
  }

  void add_buffer(int64_t bytes, const LiveRange& range) {
    problem_.buffers.push_back({.size_bytes = bytes,
                                .lives = {{range.begin, std::max(range.end, range.begin + 1)}},
                                .address = std::nullopt});
  }

  void add(const InstanceCall& call) {
    const Instance& instance = flow_.instances.instance(call.instance);
    const Whole& whole = evaluator_.whole(call);
    work_ += whole.work;
    const ValueId made = flow_.made_by(call);
    touch(made, at_, at_ + 1);
    maker_[made.index()] = {&call, nullptr, {at_, at_ + 1}};
    if (call.method == Method::kFinalise) {
      touch(flow_.sums_of(made), at_, at_ + 1);
      finalised_.push_back(made);
    } else {
      for (const ValueId v : instance.reads) touch(v, at_, at_ + 1);
    }
    if (whole.scratch_bytes > 0) add_buffer(whole.scratch_bytes, {at_, at_ + 1});
    ++at_;
  }

  void add(const GroupCost& group) {
    work_ += group.work;
    const auto end = at_ + group.derived.positions();
    for (const auto& [v, steps] : group.outside) touch(v, at_ + steps.begin, at_ + steps.end);
    for (const DerivedStep& step : group.derived.steps)
      maker_[flow_.made_by(step.call).index()] = {nullptr, &group, {at_, end}};
    for (const GroupCost::Inner& inner : group.inner)
      add_buffer(inner.bytes, {at_ + inner.steps.begin, at_ + inner.steps.end});
    at_ = end;
  }

  /// What layout::lower_bound_bytes says, which only has to look closer where overlaps matter.
  [[nodiscard]] int64_t peak_bytes() const {
    const auto moments = static_cast<size_t>(at_) + 1;
    std::vector<int64_t> live(moments + 1, 0), shared(moments + 1, 0);
    for (const layout::Buffer& buffer : problem_.buffers) {
      live[static_cast<size_t>(buffer.lives[0].begin)] += buffer.size_bytes;
      live[static_cast<size_t>(buffer.lives[0].end)] -= buffer.size_bytes;
    }
    std::inclusive_scan(live.begin(), live.end(), live.begin());
    for (const layout::Overlap& o : problem_.overlaps) {
      const layout::Life& out = problem_.buffers[static_cast<size_t>(o.out)].lives[0];
      const layout::Life& in = problem_.buffers[static_cast<size_t>(o.in)].lives[0];
      for (int64_t t = std::max(out.begin, in.begin); t < std::min(out.end, in.end); ++t)
        shared[static_cast<size_t>(t)] = 1;
    }
    int64_t peak = 0;
    for (size_t t = 0; t < moments; ++t) {
      if (shared[t] == 0) peak = std::max(peak, live[t]);
    }
    for (size_t t = 0; t < moments; ++t) {
      if (shared[t] != 0 && live[t] > peak)
        peak = std::max(peak, shared_bytes(static_cast<int64_t>(t)));
    }
    const int64_t quantum = problem_.overlaps.empty() ? 1 : layout::quantum_bytes(problem_);
    return (peak + quantum - 1) / quantum * quantum;
  }

  /// What is live at a moment, bytes that overlap counted once.
  [[nodiscard]] int64_t shared_bytes(int64_t moment) const {
    layout::Problem here;
    std::vector<int> number(problem_.buffers.size(), -1);
    for (size_t b = 0; b < number.size(); ++b) {
      const layout::Buffer& buffer = problem_.buffers[b];
      if (buffer.lives[0].begin > moment || buffer.lives[0].end <= moment) continue;
      number[b] = static_cast<int>(here.buffers.size());
      here.buffers.push_back(buffer);
      here.buffers.back().lives = {{0, 1}};
    }
    for (layout::Overlap o : problem_.overlaps) {
      o.out = number[static_cast<size_t>(o.out)];
      o.in = number[static_cast<size_t>(o.in)];
      if (o.out >= 0 && o.in >= 0) here.overlaps.push_back(o);
    }
    return layout::live_bounds(here, 1)[0];
  }

  /// Lets what a call or a group makes lie over what it is the last to read.
  void overlap(ValueId out, ValueId in) {
    const int over = number_[out.index()], under = number_[in.index()];
    if (over < 0 || under < 0) return;
    const Maker& maker = maker_[out.index()];
    const Position read_until = ranges_[in.index()].end;
    if (read_until <= maker.steps.begin || read_until > maker.steps.end) return;
    std::optional<ValueLead> lead;
    if (maker.call != nullptr) lead = evaluator_.lead(*maker.call, in);
    if (maker.group != nullptr) lead = evaluator_.lead(*maker.group, out, in);
    if (!lead) return;
    problem_.overlaps.push_back(
        {.out = over,
         .in = under,
         .lead_bytes = lead->same_address ? std::nullopt : std::optional(lead->bytes),
         .same_address = lead->same_address});
  }

  Evaluator& evaluator_;
  const Dataflow& flow_;
  std::vector<LiveRange> ranges_;  ///< per value outside of groups; begin -1: none
  struct Maker {                   ///< a call outside of groups, or a group
    const InstanceCall* call = nullptr;
    const GroupCost* group = nullptr;
    LiveRange steps;
  };
  std::vector<Maker> maker_;        ///< per value
  std::vector<int> number_;         ///< per value: in the problem
  std::vector<ValueId> finalised_;  ///< outside of groups
  layout::Problem problem_;
  Work work_;
  Position at_ = 0;
};

Evaluator::Evaluator(const Dataflow& dataflow) : flow_(dataflow) {
  const auto values = static_cast<int32_t>(dataflow.instances.values.size());
  for (int32_t v = 0; v < 2 * values; ++v) size_bytes_.push_back(dataflow.size_bytes({v}));
}

const GroupCost* Evaluator::group(const Group& group) {
  const auto known = groups_.find(group);
  if (known != groups_.end()) return known->second.get();
  std::optional<Derived> derived = derive(flow_, group);
  std::unique_ptr<GroupCost> cost;
  if (derived) cost = std::make_unique<GroupCost>(flow_, std::move(*derived));
  return groups_.emplace(group, std::move(cost)).first->second.get();
}

const Evaluator::Whole& Evaluator::whole(const InstanceCall& call) {
  const auto [it, added] = whole_.try_emplace({call.instance, call.method});
  if (added) it->second = {whole_work(flow_, call), flow_.scratch_bytes(call)};
  return it->second;
}

std::optional<ValueLead> Evaluator::lead(const InstanceCall& call, ValueId in) {
  const auto [it, added] = leads_.try_emplace({call.instance, call.method, in});
  if (added) it->second = call_lead(flow_, call, in);
  return it->second;
}

std::optional<ValueLead> Evaluator::lead(const GroupCost& group, ValueId out, ValueId in) {
  const auto [it, added] = group_leads_.try_emplace({&group, out, in});
  if (added && may_overlap(flow_, out, in)) {
    if (const auto bytes = group_lead(flow_, group.derived, out, in))
      it->second = {.bytes = *bytes};
  }
  return it->second;
}

std::optional<Cost> Evaluator::cost(const Plan& plan) {
  Sum sum(*this);
  return sum.add(plan.members) ? std::optional(sum.cost(plan)) : std::nullopt;
}

Cost evaluate(const Dataflow& dataflow, const Plan& plan) {
  const std::optional<Cost> cost = Evaluator(dataflow).cost(plan);
  check(cost.has_value(), "a group of a plan has no tiles");
  return *cost;
}

}  // namespace thimble
