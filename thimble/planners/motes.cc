// SPDX-License-Identifier: Apache-2.0
#include "thimble/planners/motes.h"

#include <algorithm>
#include <memory>

#include "thimble/moves/resident_first.h"
#include "thimble/plan/order_problem.h"
#include "thimble/planners/motes_search.h"
#include "thimble/search/narrow_early.h"

namespace thimble {
namespace {

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
  std::unique_ptr<MotesSearch> best;
  MotesState least;
  for (std::vector<int>& order : orders) {
    auto search = std::make_unique<MotesSearch>(axes, limits, options, std::move(order));
    MotesState state = search->run();
    if (best && !search->less()(state, least)) continue;
    least = std::move(state);
    best = std::move(search);
  }
  return best->planned(least);
}

PlannerDecision plan_motes(const Graph& graph, const Limits& limits, const PlannerOptions& given) {
  return plan_motes(graph, limits, given,
                    orders_of(AxisGraph(graph), limits, motes_options(given).order));
}

}  // namespace thimble
