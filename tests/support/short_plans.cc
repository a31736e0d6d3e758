// SPDX-License-Identifier: Apache-2.0
#include "tests/support/short_plans.h"

#include "thimble/plan/build.h"
#include "thimble/plan/order_plan.h"
#include "thimble/plan/order_problem.h"

namespace thimble::testing {

Schedule whole_operators(const Graph& graph, const Instances& instances, bool in_place) {
  const AxisGraph axes(graph);
  const Dataflow flow(axes, instances);
  const OrderProblem problem = order_problem(graph, instances, in_place);
  const Order order = original_order(problem);
  const OrderPlanOptions options{.in_place = in_place, .peak_bytes = order.peak_bytes};
  return build(flow, order_plan(flow, problem, order.ops, options));
}

Schedule whole_operators(const Graph& graph, bool in_place) {
  return whole_operators(graph, instances_of(graph, {}), in_place);
}

std::optional<Clock> rolled(const Graph& graph, const std::vector<int>& instances, int axis,
                            const PortPlaces& ports) {
  const Instances all = instances_of(graph, ports);
  const AxisGraph axes(graph);
  std::vector<InstanceCall> calls;
  for (const int i : instances) calls.push_back({.instance = {i}});
  const ValueId last = all.instance(calls.back().instance).makes;
  return clock_of(Dataflow(axes, all), calls, {.paced = last, .axis = axis});
}

}  // namespace thimble::testing
