// SPDX-License-Identifier: Apache-2.0
#include "thimble/planners/stream_plan.h"

#include <algorithm>

namespace thimble {

note::Spans spans(const Instances& instances, const StreamCut& cut) {
  note::Spans result{.ops = 0, .peak_bytes = cut.peak_bytes};
  const auto operators = [&](int begin, int end) {
    return std::count_if(cut.order.begin() + begin, cut.order.begin() + end,
                         [&](int i) { return instances.instance({i}).op.valid(); });
  };
  result.ops = operators(0, static_cast<int>(cut.order.size()));
  for (const GroupCandidate& piece : cut.pieces) {
    const int64_t ops = operators(piece.begin, piece.end);
    const bool rolls = piece.channels == 0 || piece.in_slices;
    result.spans += rolls ? 1 : 0;
    result.ops_in_spans += rolls ? ops : 0;
    result.ops_by_pixels += piece.by_pixels ? ops : 0;
    result.loops += piece.channels > 0 ? 1 : 0;
    result.ops_in_loops += piece.channels > 0 ? ops : 0;
    result.ops_in_both += piece.in_slices ? ops : 0;
  }
  return result;
}

bool ApartBudget::better(const InstanceCall& call, int64_t apart_bytes, int64_t over_bytes) const {
  if (latency == nullptr || apart_bytes > bytes) return false;
  const KernelTimes &apart = latency->whole_times(call), &over = latency->whole_times(call, true);
  if (apart_bytes + apart.back().scratch_bytes <= bytes) return true;
  const auto fastest = [&](const KernelTimes& times, int64_t live_bytes) {
    const int64_t scratch_bytes = bytes - live_bytes + times.front().scratch_bytes;
    return fastest_within(times, scratch_bytes).instructions;
  };
  return fastest(apart, apart_bytes) < fastest(over, over_bytes);
}

Plan stream_plan(const Dataflow& dataflow, const OrderProblem& problem, const StreamCut& cut,
                 bool in_place, const ApartBudget& budget) {
  OrderProblem outside = problem;
  for (const InstanceId id : cut.over_input) outside.ops[id.index()].in_place.clear();
  std::vector<OrderPiece> pieces;
  std::vector<bool> in_piece(cut.order.size(), false);
  for (const GroupCandidate& piece : cut.pieces) {
    pieces.push_back(piece.piece());
    std::fill(in_piece.begin() + piece.begin, in_piece.begin() + piece.end, true);
  }
  Plan plan = order_plan(dataflow, outside, cut.order,
                         {.in_place = in_place, .peak_bytes = cut.peak_bytes}, std::move(pieces));
  for (const GroupCandidate& piece : cut.pieces) {
    if (piece.overlap) plan.overlaps.push_back(*piece.overlap);
  }
  if (!in_place) return plan;
  const RolledGroups rolls(dataflow, problem, cut.order, {.in_place = in_place});
  for (OrderProblem::Op& op : outside.ops) op.in_place.clear();
  const std::vector<int64_t> apart = working_sets(outside, cut.order);
  for (size_t at = 0; at < cut.order.size(); ++at) {
    const InstanceCall call{.instance = {cut.order[at]}};
    if (in_piece[at] || budget.better(call, apart[at], rolls.single_bytes()[at])) continue;
    for (const OverlapChoice& over : rolls.over_inputs(static_cast<int>(at)))
      plan.overlaps.push_back(over);
  }
  return plan;
}

}  // namespace thimble
