// SPDX-License-Identifier: Apache-2.0
#include "tests/planners/all_plans.h"

#include <algorithm>
#include <iterator>

#include "thimble/model/error.h"
#include "thimble/operators/operators.h"
#include "thimble/plan/group_lead.h"
#include "thimble/plan/overlap_lead.h"

namespace thimble::testing {

AllPlans::AllPlans(const Dataflow& flow, Space space)
    : flow_(flow),
      space_(space),
      needs_(flow.instances.list.size(), 0),
      readers_(flow.instances.values.size(), 0) {
  const auto count = static_cast<int32_t>(flow.instances.list.size());
  check(count <= kMostInstances, "too many instances to look at all of their plans");
  for (int32_t i = 0; i < count; ++i) {
    check(flow.instances.instance({i}).op.valid(), "a copy in a network whose plans are all tried");
    for (const ValueId v : flow.instances.instance({i}).reads) {
      readers_[v.index()] |= bit({i});
      if (flow.maker[v.index()].valid())
        needs_[static_cast<size_t>(i)] |= bit(flow.maker[v.index()]);
    }
  }
  for (Set set = 0; set < Set{1} << count; ++set) {
    bool closed = true;
    for (int32_t i = 0; i < count; ++i)
      closed = closed && ((set & bit({i})) == 0 || (needs_[static_cast<size_t>(i)] & ~set) == 0);
    if (closed) closed_.push_back(set);
  }
}

bool AllPlans::is_used_outside(ValueId made, Set piece) const {
  return flow_.is_output[made.index()] || (readers_[made.index()] & ~piece) != 0;
}

int64_t AllPlans::made_bytes(Set piece) const {
  int64_t sum = 0;
  for (const Instance& instance : flow_.instances.list) {
    const Set own = bit(flow_.maker[instance.makes.index()]);
    if ((own & piece) != 0 && is_used_outside(instance.makes, piece))
      sum += flow_.size_bytes(instance.makes);
  }
  return sum;
}

bool AllPlans::is_live(ValueId v, Set executed) const {
  const InstanceId maker = flow_.maker[v.index()];
  return (!maker.valid() || (bit(maker) & executed) != 0) && is_used_outside(v, executed);
}

bool AllPlans::is_consumed(ValueId v, Set executed, Set piece) const {
  return is_live(v, executed) && !is_used_outside(v, executed | piece);
}

void AllPlans::add_whole(InstanceId id, std::vector<PieceExecution>& result) const {
  const Instance& instance = flow_.instances.instance(id);
  const int64_t out = flow_.size_bytes(instance.makes);
  for (const Method method : {Method::kCompute, Method::kInPlace}) {
    const InstanceCall call{.instance = id, .method = method};
    const bool in_place = method == Method::kInPlace;
    if (in_place && (!has_kernel(flow_.graph, flow_.graph.op(instance.op), method))) continue;
    PieceExecution execution{
        .members = {{call}}, .bytes = out + flow_.scratch_bytes(call), .savings = {}};
    for (const ValueId in : instance.reads) {
      if (flow_.size_bytes(in) == 0) continue;
      const std::optional<ValueLead> lead = call_lead(flow_, call, in);
      if (!lead) continue;
      const int64_t in_bytes = flow_.size_bytes(in);
      execution.savings.push_back({{instance.makes, in},
                                   lead->same_address ? std::min(out, in_bytes)
                                                      : overlap_bytes(out, in_bytes, lead->bytes)});
    }
    if (in_place && execution.savings.empty()) continue;
    execution.must_overlap = in_place;
    result.push_back(std::move(execution));
  }
}

const std::vector<PieceExecution>& AllPlans::executions(Set piece) {
  const auto [it, is_new] = executions_.try_emplace(piece);
  if (!is_new) return it->second;
  std::vector<InstanceId> instances;
  for (int32_t i = 0; i < static_cast<int32_t>(needs_.size()); ++i) {
    if ((piece & bit({i})) != 0) instances.push_back({i});
  }
  if (instances.size() == 1) add_whole(instances[0], it->second);
  AllGroups groups = all_groups(flow_, instances,
                                {.may_recompute = may_recompute_,
                                 .incumbent_bytes = incumbent_bytes_of(piece),
                                 .everything = space_ == Space::kLarger});
  asked_ += groups.asked;
  std::ranges::move(groups.executions, std::back_inserter(it->second));
  return it->second;
}

void AllPlans::extend(Set executed, Set piece, std::map<Set, Step>& best) {
  const int64_t before = best.at(executed).peak_bytes;
  int64_t live = 0, largest = 0;
  std::vector<bool> consumed(flow_.instances.values.size(), false);
  for (int32_t v = 0; v < static_cast<int32_t>(consumed.size()); ++v) {
    if (flow_.size_bytes({v}) == 0 || !is_live({v}, executed)) continue;
    live += flow_.size_bytes({v});
    consumed[static_cast<size_t>(v)] = is_consumed({v}, executed, piece);
    if (consumed[static_cast<size_t>(v)]) largest = std::max(largest, flow_.size_bytes({v}));
  }
  const auto known = best.find(executed | piece);
  const int64_t incumbent_bytes = known == best.end() ? below_bytes_ : known->second.peak_bytes;
  // No overlap saves more.
  if (before >= incumbent_bytes || live + made_bytes(piece) - largest >= incumbent_bytes) return;
  for (const PieceExecution& execution : executions(piece)) {
    if (execution.recomputes && !may_recompute_) continue;
    const PieceExecution::Saving* most = nullptr;
    for (const PieceExecution::Saving& s : execution.savings) {
      if (consumed[s.over.in.index()] && s.bytes > 0 && (most == nullptr || s.bytes > most->bytes))
        most = &s;
    }
    if (execution.must_overlap && most == nullptr) continue;
    const int64_t bytes = live + execution.bytes - (most == nullptr ? 0 : most->bytes);
    const auto to = best.find(executed | piece);
    const int64_t peak = std::max(before, bytes);
    if (peak >= (to == best.end() ? below_bytes_ : to->second.peak_bytes)) continue;
    best[executed | piece] = {peak, executed, execution.members[0], execution.recomputes,
                              most == nullptr ? std::nullopt : std::optional(most->over)};
  }
}

int64_t AllPlans::incumbent_bytes_of(Set piece) const {
  int64_t least_live = INT64_MAX;
  for (const Set executed : closed_) {
    if ((executed & piece) != 0 || !std::ranges::binary_search(closed_, executed | piece)) continue;
    int64_t live = 0;
    for (int32_t v = 0; v < static_cast<int32_t>(readers_.size()); ++v)
      live += is_live({v}, executed) ? flow_.size_bytes({v}) : 0;
    least_live = std::min(least_live, live);
  }
  return below_bytes_ - least_live;
}

std::optional<LeastPlan> AllPlans::least(int64_t below_bytes, bool recomputes) {
  executions_.clear();
  below_bytes_ = below_bytes;
  may_recompute_ = recomputes;
  std::map<Set, Step> best{{0, {}}};
  for (const Set executed : closed_) {
    if (!best.contains(executed)) continue;
    for (const Set after : closed_) {
      if (after != executed && (executed & ~after) == 0) extend(executed, after & ~executed, best);
    }
  }
  const auto end = best.find(closed_.back());
  if (end == best.end()) return std::nullopt;
  LeastPlan result{.plan = {.instances = flow_.instances}, .peak_bytes = end->second.peak_bytes};
  for (Set at = closed_.back(); at != 0; at = best.at(at).before) {
    result.plan.members.push_back(best.at(at).member);
    result.recomputes = result.recomputes || best.at(at).recomputes;
    if (best.at(at).overlap) result.plan.overlaps.push_back(*best.at(at).overlap);
  }
  std::ranges::reverse(result.plan.members);
  return result;
}

}  // namespace thimble::testing
