// SPDX-License-Identifier: Apache-2.0
#include "thimble/driver/chosen_plan.h"

#include <fmt/format.h>

#include <limits>

#include "thimble/driver/device_memories.h"
#include "thimble/plan/build.h"

namespace thimble {
namespace {

size_t picked_point(const Planned& planned, const Request& request) {
  if (!request.pick) return planned.chosen;
  const int64_t count = std::ssize(planned.front);
  if (*request.pick < 1 || *request.pick > count) {
    throw CompileError(
        "--pick", fmt::format("{} is none of the plans, which are numbered 1 to {} (`thimble plan "
                              "--pareto` shows them)",
                              *request.pick, count));
  }
  return static_cast<size_t>(*request.pick - 1);
}

std::set<std::string> left_out(const Planned& planned, const LatencyModel& model) {
  std::set<std::string> result;
  const KernelCoefficients known(model);
  for (const PricedPlan& plan : planned.front) {
    for (const StepKernel& step : plan.plan().kernels) {
      if (step.kernel.valid() && known.of(step.kernel) == nullptr)
        result.insert(info(step.kernel).name);
    }
  }
  return result;
}

Front shown_front(const Graph& graph, const Planned& planned, const Request& request) {
  const std::string& core = request.target.core.name;
  const Core estimated = estimated_core(request.target.core);
  const bool stands_in = !core.empty() && estimated.name != core;
  Front front{.points = {},
              .picked = picked_point(planned, request),
              .by_number = request.pick.has_value(),
              .sram_limit_bytes = request.arena_limit_bytes(),
              .max_latency = max_latency(request),
              .core = estimated.name,
              .stands_in = stands_in,
              .clock_hz = stands_in ? 0 : request.target.clock_hz,
              .left_out = left_out(planned, *latency_model(estimated.name))};
  const AxisGraph axes(graph);
  PackedBytes packed(graph, axes.kernel_uses());
  for (const PricedPlan& plan : planned.front) {
    front.points.push_back(plan.figures());
    const Dataflow flow(axes, plan.plan().instances);
    front.points.back().weight_bytes = packed.of(build(flow, plan.plan()));
  }
  return front;
}

}  // namespace

ChosenPlan chosen_plan(const Graph& graph, const PlannerChoice& choice, Planned planned,
                       const Request& request, const TimeLimit& time) {
  if (!planned.has_choice && request.pick)
    throw CompileError("--pick", fmt::format("is for planners with a choice of plans; {} has one",
                                             choice.planner->name));
  ChosenPlan chosen;
  if (planned.has_choice) chosen.front = shown_front(graph, planned, request);
  const size_t number = chosen.front ? chosen.front->picked : planned.chosen;
  PricedPlan& taken = planned.front[number];
  const Graph meant = with_accumulators(graph, taken.plan().accumulators);
  chosen.notes = std::move(taken.notes);
  chosen.plan = {.planner = request.planner.empty() ? choice.planner->name : request.planner,
                 .schedule = number == planned.chosen ? std::move(planned.schedule)
                                                      : build(meant, taken.plan()),
                 .placement = std::move(taken.realised.placement),
                 .accumulators = taken.plan().accumulators};
  if (!chosen.plan.accumulators.empty()) chosen.plan.scale_source = std::move(planned.scale_source);
  chosen.decided = std::move(taken.realised.plan);
  const PlacementOptions options{.method = request.layout, .time = &time};
  use_further_memories(meant, request, options, chosen.plan);
  if (request.states_apart) keep_states_apart(meant, options, chosen.plan);
  return chosen;
}

double max_latency(const Request& request) {
  const double otherwise =
      request.sram_limit_bytes() ? std::numeric_limits<double>::infinity() : Limits{}.max_latency;
  return request.max_latency.value_or(otherwise);
}

Core estimated_core(const Core& core) {
  Core result = core;
  if (!latency_model(core.name)) result.name = "cortex-m4";
  return result;
}

}  // namespace thimble
