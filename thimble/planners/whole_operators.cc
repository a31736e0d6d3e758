// SPDX-License-Identifier: Apache-2.0
#include "thimble/planners/whole_operators.h"

#include "thimble/plan/order_plan.h"
#include "thimble/plan/order_problem.h"
#include "thimble/search/order.h"

namespace thimble {
namespace {

/// What planners of whole operators choose from, and the plan of what they choose.
class WholeOperators {
 public:
  WholeOperators(const Graph& graph, const Limits& limits)
      : graph_(graph),
        in_place_(limits.in_place),
        instances_(instances_of(graph, limits.ports)),
        problem_(order_problem(graph, instances_, limits.in_place)) {}

  [[nodiscard]] const OrderProblem& problem() const { return problem_; }
  [[nodiscard]] Decision decided(const Order& order) const {
    const AxisGraph axes(graph_);
    const Dataflow flow(axes, instances_);
    const OrderPlanOptions options{.in_place = in_place_, .peak_bytes = order.peak_bytes};
    return {.plan = order_plan(flow, problem_, order.ops, options),
            .notes = {},
            .lower_bound_bytes = order.lower_bound_bytes,
            .proven_optimal = order.proven_optimal};
  }

 private:
  const Graph& graph_;
  const bool in_place_;
  const Instances instances_;
  const OrderProblem problem_;
};

}  // namespace

PlannerDecision plan_original(const Graph& graph, const Limits& limits, const PlannerOptions&) {
  const WholeOperators whole(graph, limits);
  return whole.decided(original_order(whole.problem()));
}

PlannerDecision plan_greedy(const Graph& graph, const Limits& limits, const PlannerOptions&) {
  const WholeOperators whole(graph, limits);
  return whole.decided(greedy_order(whole.problem()));
}

PlannerDecision plan_reorder(const Graph& graph, const Limits& limits,
                             const PlannerOptions& options) {
  const WholeOperators whole(graph, limits);
  const Order order = reorder(
      whole.problem(), number_option(options, "states", 1).value_or(kOrderStates), limits.time);
  Decision result = whole.decided(order);
  if (order.proven_optimal) {
    result.notes.push_back(note::LeastOrder{.states = order.states});
  } else {
    result.notes.push_back(note::BestOrder{.states = order.states,
                                           .peak_bytes = order.peak_bytes,
                                           .lower_bound_bytes = order.lower_bound_bytes});
  }
  return result;
}

}  // namespace thimble
