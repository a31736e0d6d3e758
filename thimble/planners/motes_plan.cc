// SPDX-License-Identifier: Apache-2.0
// The plan of what the search of `motes` found.
#include <algorithm>

#include "thimble/plan/evaluate.h"
#include "thimble/planners/motes_search.h"
#include "thimble/planners/stream_plan.h"

namespace thimble {

Decision MotesSearch::planned(const MotesState& state) {
  std::vector<OrderPiece> pieces;
  for (const auto& unit : state.units) pieces.push_back(unit->piece());
  OrderPlanOptions singles{.in_place = limits_.in_place, .peak_bytes = state.bytes};
  for (int i = 0; i < std::ssize(instances_.list); ++i) {
    const KernelTimes& times = latency_.whole_times({.instance = {i}});
    singles.scratch_bytes.push_back(times[std::min<size_t>(1, times.size() - 1)].scratch_bytes -
                                    times.front().scratch_bytes);
  }
  Plan plan = order_plan(flow_, problem_, order_, singles, pieces);
  for (int at = 0; at < std::ssize(order_); ++at) {
    const auto covered = [&](const auto& unit) { return unit->begin <= at && at < unit->end; };
    if (options_.paper_accounting || !limits_.in_place || std::ranges::any_of(state.units, covered))
      continue;
    const InstanceCall call{.instance = {order_[static_cast<size_t>(at)]}};
    const ValueId made = instances_.instance(call.instance).makes;
    const int64_t apart =
        rolls_.bytes().held(at) + rolls_.bytes().size(made) + flow_.scratch_bytes(call);
    const ApartBudget budget{&latency_, state.bytes};
    if (budget.better(call, apart, single_bytes_[static_cast<size_t>(at)])) continue;
    if (const auto over = rolls_.single_overlap(at)) {
      if (std::ranges::find(plan.overlaps, over->first) == plan.overlaps.end())
        plan.overlaps.push_back(over->first);
    }
  }
  for (const auto& unit : state.units) {
    if (unit->overlap) plan.overlaps.push_back(*unit->overlap);
  }
  Decision result{.plan = plan, .notes = {}, .live_bytes = state.bytes};
  note::Partitions note{
      .ops = std::ssize(order_),
      // What nobody reads, an unused input, is no part of what was searched.
      .peak_bytes = std::max(limits_.core.sets.size() > 1 ? state.bytes : int64_t{0},
                             evaluate(flow_, plan).peak_bytes),
      .instructions = state.instructions,
      .whole_instructions = whole_instructions_};
  for (const auto& unit : state.units) {
    ++note.schemes;
    note.ops_in_parts += unit->end - unit->begin;
    note.steps += unit->steps;
  }
  result.notes.push_back(note);
  return result;
}

}  // namespace thimble
