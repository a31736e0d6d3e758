// SPDX-License-Identifier: Apache-2.0
#include "thimble/planners/motes_units.h"

#include <algorithm>

#include "thimble/plan/group_lead.h"

namespace thimble {

constexpr int kGroupsAtATime = 64;  // of which the memory is kept

std::vector<int> held_steps(const OrderBytes& bytes, int count, int from, int direction,
                            int distance, int64_t below) {
  std::vector<int> result;
  int64_t least = below;
  for (int n = 0; n <= distance; ++n) {
    const int at = from + direction * n;
    if (at < 0 || at > count) break;
    const int64_t held = bytes.held(at);
    if (held >= below || held > least + least / 4) continue;
    least = std::min(least, held);
    result.push_back(at);
  }
  return result;
}

int64_t MotesUnits::least_bytes(int begin, int end) const {
  int64_t consumed = 0, largest_in = 0, largest_out = 0;
  for (const ValueId v : bytes_.consumed(begin, end)) {
    consumed += bytes_.size(v);
    largest_in = std::max(largest_in, bytes_.size(v));
  }
  for (int at = begin; at < end && overlaps_; ++at) {
    const ValueId made = flow_.instances.instance({order_[static_cast<size_t>(at)]}).makes;
    if (bytes_.lives().last_read[made.index()] >= end)
      largest_out = std::max(largest_out, bytes_.size(made));
  }
  return bytes_.held(end) + consumed - std::min(largest_in, largest_out);
}

std::optional<GroupCandidate> MotesUnits::measured(GroupCandidate unit) {
  if (groups_++ % kGroupsAtATime == 0) evaluator_.emplace(flow_);
  const GroupCost* group = evaluator_->group(unit.group);
  if (group == nullptr) return std::nullopt;
  unit.steps = group->derived.positions() + std::ssize(unit.finalised);
  BestOverlap best;
  if (overlaps_) {
    std::vector<ValueId> made;
    for (const auto& [out, steps] : group->outside) {
      if (!flow_.is_sums(out) && bytes_.lives().made[out.index()] >= unit.begin)
        made.push_back(out);
    }
    best = best_overlap(flow_, bytes_.consumed(unit.begin, unit.end), made,
                        [&](ValueId out, ValueId in) -> std::optional<int64_t> {
                          if (!may_overlap(flow_, out, in)) return std::nullopt;
                          return group_lead(flow_, group->derived, out, in);
                        });
  }
  unit.overlap = best.choice;
  unit.lead_bytes = best.lead_bytes;
  std::vector<int64_t> live = live_bytes(unit, *group, best.saved_bytes);
  std::vector<const KernelTimes*> calls = latency_.call_times(group->derived);
  static const KernelTimes kNothing = {{}};
  live.resize(calls.size() + 1 + unit.finalised.size(), live.back());
  calls.push_back(&kNothing);  // what is finalised may lie apart from its sums
  for (const InstanceCall& call : unit.finalised) calls.push_back(&latency_.whole_times(call));
  unit.times = piece_times(calls, live);
  unit.bytes = unit.times.front().live_bytes;
  return unit;
}

/// What is held throughout, what it consumes until it is read for the last time, what it makes from
/// the first step that writes it.
std::vector<int64_t> MotesUnits::live_bytes(const GroupCandidate& unit, const GroupCost& group,
                                            int64_t shared) const {
  const auto positions = static_cast<size_t>(group.derived.positions());
  std::vector<int64_t> live(positions + 1, 0);
  const auto add = [&](int64_t bytes, const LiveRange& steps) {
    for (Position p = steps.begin; p < steps.end; ++p) live[static_cast<size_t>(p)] += bytes;
  };
  int64_t through = bytes_.held(unit.begin);
  const std::vector<ValueId> consumed = bytes_.consumed(unit.begin, unit.end);
  const auto all = static_cast<Position>(positions);
  int64_t finalised = 0;  // the most that a value and its sums are, which overlap
  for (const auto& [v, steps] : group.outside) {
    const int64_t size = flow_.size_bytes(v);
    const bool made = flow_.is_sums(v) || bytes_.lives().made[v.index()] >= unit.begin;
    if (made) {
      add(size, {steps.begin, all});
      finalised += size;
    } else if (std::ranges::find(consumed, v) != consumed.end()) {
      add(size, steps);
      through -= size;
    }
  }
  const std::vector<int64_t> inner = inner_bytes(flow_, group.derived);
  for (size_t p = 0; p < positions; ++p) live[p] += inner[p];
  if (unit.overlap) {
    const auto steps = [&](ValueId v) {
      return std::ranges::find(group.outside, v, &std::pair<ValueId, LiveRange>::first)->second;
    };
    add(-shared, {steps(unit.overlap->out).begin, steps(unit.overlap->in).end});
  }
  live[positions] = finalised;
  for (int64_t& bytes : live) bytes += through;
  return live;
}

}  // namespace thimble
