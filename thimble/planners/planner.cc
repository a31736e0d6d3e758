// SPDX-License-Identifier: Apache-2.0
#include "thimble/planners/planner.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "thimble/model/error.h"
#include "thimble/operators/operators.h"
#include "thimble/plan/brought_note.h"
#include "thimble/plan/build.h"
#include "thimble/planners/ports.h"

namespace thimble {

Core core_of_estimates() { return {.name = "cortex-m4", .compiler = {}, .flags = {}}; }

Front front_within(const Limits& limits) {
  return {.points = {},
          .sram_limit_bytes = limits.sram_bytes,
          .max_latency = limits.max_latency,
          .core = {}};
}

Planned front_of(const Limits& limits, std::vector<PricedPlan> plans) {
  std::vector<FrontFigures> figures;
  for (const PricedPlan& plan : plans) figures.push_back(plan.figures());
  Planned planned;
  Front front = front_within(limits);
  for (const size_t k : undominated(figures)) {
    front.points.push_back(figures[k]);
    planned.front.push_back(std::move(plans[k]));
  }
  planned.chosen = front.chosen();
  return planned;
}

namespace {

/// An answer with other plans in place of its own.
Planned with_front(const Limits& limits, Planned planned, std::vector<PricedPlan> plans) {
  Planned found = front_of(limits, std::move(plans));
  planned.front = std::move(found.front);
  planned.chosen = found.chosen;
  return planned;
}

}  // namespace

Planned with_weights(const Graph& graph, const Limits& limits, Planned planned,
                     int64_t weight_bytes) {
  const Graph meant = with_accumulators(graph, planned.best().plan().accumulators);
  const AxisGraph axes(meant);
  PackedBytes packed(meant, axes.kernel_uses());
  const LatencyModel model = latency_model_for(limits.core);
  std::vector<Core> cores(3, limits.core);
  cores[1].weights = Weights::kCompact;
  cores[2].weights = Weights::kLeast;
  for (PricedPlan& plan : planned.front) {
    if (late(limits.time)) break;
    Plan bare = without_kernels(plan.plan());
    const Instances instances = bare.instances;
    const Dataflow flow(axes, instances);
    std::deque<LatencyEstimate> estimates;
    for (const Core& core : cores) estimates.emplace_back(flow, core, model);
    Realisation realisation(flow, estimates[0], std::move(bare),
                            {.method = limits.layout, .time = limits.time});
    realisation.add_waits(limits.storage_cycles);
    for (size_t f = 1; f < estimates.size(); ++f) realisation.add_format(estimates[f], packed);
    plan.realised = realisation.arena_within(
        std::max(plan.arena().size_bytes, limits.sram_bytes.value_or(0)), weight_bytes);
  }
  std::vector<PricedPlan> plans = std::move(planned.front);
  return with_memories(meant, limits, with_front(limits, std::move(planned), std::move(plans)));
}

Planned with_memories(const Graph& graph, const Limits& limits, Planned planned) {
  const auto spills = [](const ScheduleMemory& memory) { return memory.storage.has_value(); };
  if (!limits.memories.has_several()) return planned;
  const Graph meant = with_accumulators(graph, planned.best().plan().accumulators);
  const KernelUses uses(meant);
  std::vector<PricedPlan> housed;
  for (const PricedPlan& plan : planned.front) {
    if (std::ranges::any_of(plan.plan().memories, spills)) {  // residences know of no storage
      housed.push_back(plan);
      continue;
    }
    std::optional<RealisedPlan> found =
        resident(meant, plan.realised, limits.memories,
                 {.method = limits.layout,
                  .work = layout::kSearchWork / std::ssize(planned.front),
                  .time = limits.time,
                  .uses = &uses});
    if (found) housed.push_back({std::move(*found), plan.notes, plan.needed_macs});
  }
  return housed.empty() ? planned : with_front(limits, std::move(planned), std::move(housed));
}

// Where the ports lie makes no difference to what is computed in which order, only to what may lie
// over them.
Planned with_resident_ports(const Graph& graph, const Limits& limits, Planned planned) {
  const Graph meant = with_accumulators(graph, planned.best().plan().accumulators);
  const AxisGraph axes(meant);
  const LatencyModel model = latency_model_for(limits.core);
  std::vector<PricedPlan> plans = std::move(planned.front);
  for (PricedPlan& plan : plans) {
    Plan bare = without_kernels(plan.plan());
    for (Value& value : bare.instances.values) {
      if (value.memory == kCaller) value.memory = kArena;
    }
    const Instances instances = bare.instances;
    const Dataflow flow(axes, instances);
    LatencyEstimate latency(flow, limits.core, model);
    Realisation realisation(flow, latency, std::move(bare),
                            {.method = limits.layout,
                             .work = layout::kSearchWork / std::ssize(plans),
                             .time = limits.time});
    plan.realised = realisation.arena_within(limits.sram_bytes);
  }
  return with_front(limits, std::move(planned), std::move(plans));
}

Planned finished(const Graph& graph, const Limits& limits, Decision decision) {
  const Graph meant = with_accumulators(graph, decision.plan.accumulators);
  const AxisGraph axes(meant);
  const Instances instances = decision.plan.instances;
  const Dataflow flow(axes, instances);
  const LatencyModel model = latency_model_for(limits.core);
  LatencyEstimate latency(flow, limits.core, model);
  Realisation realisation(flow, latency, std::move(decision.plan),
                          {.method = limits.layout, .time = limits.time});
  realisation.add_waits(limits.storage_cycles);
  RealisedPlan realised = limits.sram_bytes || !decision.live_bytes
                              ? realisation.arena_within(limits.sram_bytes)
                              : realisation.with(realisation.live_within(*decision.live_bytes));
  const std::optional<MemoryId> beyond = beyond_capacity(realised.schedule, realised.placement);
  if (beyond && realised.schedule.memory(*beyond).storage) {
    const ScheduleMemory& storage = realised.schedule.memory(*beyond);
    throw CompileError("--storage",
                       fmt::format("{} holds {} B, and what is to be spilled takes {} B",
                                   storage.name, *storage.capacity_bytes,
                                   bytes_taken(storage, realised.placement.memory(*beyond))));
  }
  Planned result{.front = {},
                 .lower_bound_bytes = decision.lower_bound_bytes,
                 .proven_optimal = decision.proven_optimal,
                 .scale_source = std::move(decision.scale_source)};
  if (const auto note = brought_constants(meant, realised)) decision.notes.emplace_back(*note);
  result.front.push_back({std::move(realised), std::move(decision.notes), macs(meant)});
  return result;
}

PlannerAnswer Planner::plan(const Graph& graph, const Limits& limits,
                            const PlannerOptions& options_given) const {
  check_ports(graph, limits.ports, streams ? "" : name);
  PlannerAnswer answer;
  if (search != nullptr) {
    answer = search(graph, limits, options_given);
  } else {
    PlannerDecision decided = decide(graph, limits, options_given);
    if (auto* no = std::get_if<Infeasible>(&decided)) return std::move(*no);
    answer = finished(graph, limits, std::move(std::get<Decision>(decided)));
  }
  if (auto* planned = std::get_if<Planned>(&answer))
    return with_memories(graph, limits, std::move(*planned));
  return answer;
}

}  // namespace thimble
