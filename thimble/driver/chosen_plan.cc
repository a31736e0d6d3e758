// SPDX-License-Identifier: Apache-2.0
#include "thimble/driver/chosen_plan.h"

#include <fmt/format.h>

#include <limits>

#include "thimble/model/error.h"
#include "thimble/plan/port_alignment.h"
#include "thimble/program/estimate.h"
#include "thimble/program/lower.h"

namespace thimble {
namespace {

size_t picked_point(const Front& front, const Request& request) {
  if (!request.pick) return front.chosen();
  const int64_t count = std::ssize(front.points);
  if (*request.pick < 1 || *request.pick > count) {
    throw CompileError(
        "--pick", fmt::format("{} is none of the plans, which are numbered 1 to {} (`thimble plan "
                              "--pareto` shows them)",
                              *request.pick, count));
  }
  return static_cast<size_t>(*request.pick - 1);
}

// What plans come to as programs, which knows where the ends of rings fall.
std::vector<FrontFigures> lowered_figures(const Graph& graph, const Planned& planned,
                                          const Core& core, Front& front) {
  const AxisGraph axes(graph);
  PackedBytes packed(graph, axes.kernel_uses());
  std::vector<FrontFigures> result;
  for (const PricedPlan& plan : planned.front) {
    FrontFigures& figures = result.emplace_back(plan.figures());
    const Schedule& schedule = plan.realised.schedule;
    figures.weight_bytes = packed.bytes_of(schedule);
    const Program program = lower(graph, schedule, plan.realised.placement, Constants::kLeftOut);
    const std::optional<CoreEstimate> estimate = estimate_on(program, core, 0);
    check(estimate.has_value(), "a core without a latency model");
    figures.instructions = estimate->estimate.instructions;
    if (!core.measured) figures.instructions += plan.realised.wait_cycles;
    front.left_out.insert(estimate->estimate.left_out.begin(), estimate->estimate.left_out.end());
  }
  return result;
}

// The limit is the arena's: what lies beside it may have a place in another bank.
std::optional<int64_t> arena_limit(const Planned& planned, const Request& request) {
  const Plan& plan = planned.best().plan();
  const std::optional<int64_t>& bytes = plan.memories[kArena.index()].capacity_bytes;
  return plan.residences.empty() || !bytes ? request.arena_limit_bytes() : bytes;
}

// The number of the plan that is taken; the front is without those that another one beats as a
// program.
size_t taken_of(const Graph& graph, const Planned& planned, const Request& request, Front& front) {
  const std::string& asked = request.target.core.name;
  const Core core = estimated_core(request.target.core);
  front.core = core.name;
  if (core.measured) front.unit = "cycles";
  front.stands_in = !asked.empty() && front.core != asked;
  front.clock_hz = front.stands_in ? 0 : request.target.clock_hz;
  front.by_number = request.pick.has_value();
  front.sram_limit_bytes = arena_limit(planned, request);
  front.max_latency = max_latency(request);
  const std::vector<FrontFigures> all = lowered_figures(graph, planned, core, front);
  const std::vector<size_t> kept = undominated(all);
  for (const size_t k : kept) front.points.push_back(all[k]);
  front.picked = picked_point(front, request);
  return kept[front.picked];
}

}  // namespace

ChosenPlan chosen_plan(const Graph& graph, const PlannerChoice& choice, const Planned& planned,
                       const Request& request) {
  if (!planned.has_choice && request.pick)
    throw CompileError("--pick", fmt::format("is for planners with a choice of plans; {} has one",
                                             choice.planner->name));
  ChosenPlan chosen;
  size_t number = planned.chosen;
  if (planned.has_choice) number = taken_of(graph, planned, request, chosen.front.emplace());
  const PricedPlan& taken = planned.front[number];
  chosen.notes = taken.notes;
  chosen.plan = {.planner = request.planner.empty() ? choice.planner->name : request.planner,
                 .schedule = taken.realised.schedule,
                 .placement = taken.realised.placement,
                 .accumulators = taken.plan().accumulators};
  if (!chosen.plan.accumulators.empty()) chosen.plan.scale_source = planned.scale_source;
  if (request.align_ports > 1) {
    if (!has_placed_ports(chosen.plan.schedule))
      throw CompileError("--align-ports",
                         "is for ports in the arena; here all are the caller's, or "
                         "pass row by row: leave it out, or --input and --output");
    const Graph meant = with_accumulators(graph, chosen.plan.accumulators);
    align_ports(meant, request.align_ports, {.method = request.layout}, chosen.plan);
  }
  chosen.decided = taken.plan();
  return chosen;
}

double max_latency(const Request& request) {
  const double fallback =
      request.sram_limit_bytes() ? std::numeric_limits<double>::infinity() : Limits{}.max_latency;
  return request.max_latency.value_or(fallback);
}

Core estimated_core(const Core& core) {
  Core result = core;
  if (!latency_model(core)) result.name = "cortex-m4";
  return result;
}

}  // namespace thimble
