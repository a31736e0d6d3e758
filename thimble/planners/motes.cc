// SPDX-License-Identifier: Apache-2.0
#include "thimble/planners/motes.h"

#include <algorithm>
#include <memory>

#include "thimble/moves/resident_first.h"
#include "thimble/plan/build.h"
#include "thimble/plan/order_problem.h"
#include "thimble/plan/placement.h"
#include "thimble/planners/motes_search.h"
#include "thimble/search/narrow_early.h"

namespace thimble {
namespace {

constexpr int64_t kQuickLayoutWork = layout::kSearchWork / 250;
/// Peaks to try, in percent of the limit, where the first plan within it cannot be laid out there.
constexpr int64_t kLowerPeaks[] = {94, 85, 75};

/// The order that is asked for; and, as no scheme reaches over the makers of what it needs whole,
/// one that has them first, if that is another one.
std::vector<std::vector<int>> orders_of(const AxisGraph& axes, const Limits& limits,
                                        MotesOptions::Orders which) {
  const Instances instances = instances_of(axes.graph(), limits.ports);
  const OrderProblem problem = order_problem(axes.graph(), instances, limits.in_place);
  if (which == MotesOptions::Orders::kPostOrder) return {reverse_post_order(problem).ops};
  const Order least = reorder(problem, kOrderStates, limits.time);
  if (which == MotesOptions::Orders::kLeast) return {least.ops};
  std::vector<std::vector<int>> result = {narrow_early(problem, least.ops).ops};
  std::vector<int> resident = resident_first_order(axes, instances);
  if (!std::ranges::is_sorted(resident)) result.push_back(std::move(resident));
  return result;
}

}  // namespace

PlannerDecision plan_motes(const Graph& graph, const Limits& limits, const PlannerOptions& given,
                           std::vector<std::vector<int>> orders) {
  const MotesOptions options = motes_options(given);
  const AxisGraph axes(graph);
  std::vector<std::unique_ptr<MotesSearch>> searches;
  for (std::vector<int>& order : orders)
    searches.push_back(std::make_unique<MotesSearch>(axes, limits, options, std::move(order)));
  const auto best_of = [&](int64_t budget_bytes) -> MotesSearch& {
    MotesSearch* best = nullptr;
    for (const auto& search : searches) {
      search->run(budget_bytes);
      if (best == nullptr || search->less()(search->found().front(), best->found().front()))
        best = search.get();
    }
    return *best;
  };
  const auto arena_of = [&](const Decision& decision) {
    const Dataflow flow(axes, decision.plan.instances);
    return place(graph, build(flow, decision.plan),
                 {.work = kQuickLayoutWork, .time = limits.time, .uses = &axes.kernel_uses()})
        .arena_bytes();
  };
  const int64_t limit = limits.sram_bytes.value_or(0);
  MotesSearch& search = best_of(limit);
  Decision best = search.planned(search.found().front());
  int64_t arena_bytes = arena_of(best);
  const int64_t live_bytes = search.found().front().bytes;
  const bool meets_peak = arena_bytes <= live_bytes * 101 / 100;  // but for alignment
  if (arena_bytes <= limit || (meets_peak && live_bytes > limit)) return best;
  // What the beam found beside it may be laid out better, or what lies below the limit.
  const double in_time = search.less().most_instructions;
  for (const MotesState& state : search.found()) {
    if (state.instructions > in_time) continue;
    Decision other = search.planned(state);
    const int64_t bytes = arena_of(other);
    if (bytes >= arena_bytes) continue;
    arena_bytes = bytes;
    best = std::move(other);
  }
  for (const int64_t percent : kLowerPeaks) {
    if (arena_bytes <= limit || !limits.sram_bytes || late(limits.time)) break;
    MotesSearch& lower = best_of(limit * percent / 100);
    Decision other = lower.planned(lower.found().front());
    if (arena_of(other) <= limit) return other;
  }
  return best;
}

PlannerDecision plan_motes(const Graph& graph, const Limits& limits, const PlannerOptions& given) {
  return plan_motes(graph, limits, given,
                    orders_of(AxisGraph(graph), limits, motes_options(given).order));
}

}  // namespace thimble
