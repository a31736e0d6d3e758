// SPDX-License-Identifier: Apache-2.0
#include "thimble/driver/chosen_plan.h"

#include <fmt/format.h>

#include <limits>

#include "thimble/driver/device_memories.h"
#include "thimble/operators/operators.h"
#include "thimble/plan/choose_kernels.h"
#include "thimble/program/estimate.h"
#include "thimble/program/explain.h"
#include "thimble/program/lower.h"

namespace thimble {
namespace {

// Of the layout search, for all plans of a front together, and the most for the one that limits
// choose: the same whichever is picked.
constexpr int64_t kFrontLayoutWork = layout::kSearchWork / 10;
constexpr int64_t kChosenLayoutWork = layout::kSearchWork;
constexpr size_t kManyBuffers = 1000;  // of which it takes too long
constexpr int kMostChosenLayouts = 3;  // each with half the work of the last one

PlacedSchedule placed_without(const AvoidedKernels& avoided, const Graph& graph,
                              const Schedule& schedule, const Request& request,
                              const PlacementOptions& options, std::optional<int64_t> room_bytes) {
  const Core& core = request.target.core;
  const std::optional<int64_t> sram = request.arena_limit_bytes();
  if (sram || !room_bytes) return place_with_kernels(graph, schedule, core, sram, options, avoided);
  // What is lost between buffers comes on top.
  const KernelRoom room{.live_bytes = *room_bytes, .scratch_bytes = *room_bytes};
  Schedule chosen = with_kernels(graph, schedule, core, room, avoided);
  Placement placement = place(graph, chosen, options);
  return {std::move(chosen), std::move(placement)};
}

// With the target's kernels, in the arena alone. The table's order suits most shapes: where the
// estimates clearly speak against a row, the choice is made again without it.
PlacedPlan placed(const Graph& graph, const Schedule& schedule, const Request& request,
                  const TimeLimit& time, int64_t work = layout::kSearchWork,
                  std::optional<int64_t> room_bytes = std::nullopt) {
  const PlacementOptions options{.method = request.layout, .work = work, .time = &time};
  const auto without = [&](const AvoidedKernels& avoided) {
    return placed_without(avoided, graph, schedule, request, options, room_bytes);
  };
  PlacedSchedule placed = without({});
  const std::optional<LatencyModel> model = latency_model(estimated_core(request.target.core).name);
  if (model && names_kernels(placed.schedule)) {
    const Program program = lower(graph, placed.schedule, placed.placement, Constants::kLeftOut);
    const AvoidedKernels slow =
        slow_kernels(graph, placed.schedule, program, request.target.core, *model);
    if (!slow.empty() && !late(&time)) {
      PlacedSchedule again = without(slow);
      const Program other = lower(graph, again.schedule, again.placement, Constants::kLeftOut);
      if (estimate(other, *model).instructions < estimate(program, *model).instructions)
        placed = std::move(again);
    }
  }
  return {.planner = {},
          .schedule = std::move(placed.schedule),
          .placement = std::move(placed.placement)};
}

FrontFigures figures_of(const Graph& graph, const PlacedPlan& plan, Front& front) {
  const Program program = lower(graph, plan.schedule, plan.placement, Constants::kLeftOut);
  const std::optional<CoreEstimate> estimate = estimate_on(program, front.core, 0);
  check(estimate.has_value(), "a core without a latency model");
  front.left_out.insert(estimate->estimate.left_out.begin(), estimate->estimate.left_out.end());
  return {.arena_bytes = plan.placement.arena_bytes(),
          .instructions = estimate->estimate.instructions,
          .recomputed_macs = macs(graph, plan.schedule) - macs(graph)};
}

// The plans of a front, and what they come to.
struct Candidates {
  std::vector<PlacedPlan> plans;
  std::vector<FrontFigures> figures;
};

// Lays out again, with more work, what the limits would choose if layouts met their bounds.
void improve_chosen(const Graph& graph, const std::vector<FrontPoint>& found,
                    const Request& request, const TimeLimit& time, Candidates& all, Front& front) {
  if (request.layout != LayoutMethod::kExact) return;  // work changes nothing
  std::vector<bool> settled;
  std::vector<FrontFigures> hoped = all.figures;
  for (size_t k = 0; k < all.plans.size(); ++k) {
    const MemoryPlacement& arena = all.plans[k].placement.arena();
    settled.push_back(arena.proven_optimal);
    hoped[k].arena_bytes = std::min(arena.lower_bound_bytes, hoped[k].arena_bytes);
  }
  int64_t work = kChosenLayoutWork;
  for (int n = 0; n < kMostChosenLayouts && !late(&time); ++n, work /= 2) {
    const std::vector<size_t> kept = undominated(hoped);
    front.points.clear();
    for (const size_t k : kept) front.points.push_back(hoped[k]);
    const size_t best = kept[front.chosen()];
    if (settled[best]) return;
    settled[best] = true;
    const bool many = found[best].schedule.buffers.size() > kManyBuffers;
    PlacedPlan again = placed(graph, found[best].schedule, request, time, many ? work / 4 : work);
    if (again.placement.arena_bytes() < all.figures[best].arena_bytes) {
      all.figures[best] = figures_of(graph, again, front);
      all.plans[best] = std::move(again);
    }
    hoped[best] = all.figures[best];
  }
}

size_t picked_point(const Front& front, const Request& request) {
  if (!request.pick) return front.chosen();
  const auto count = static_cast<int64_t>(front.points.size());
  if (*request.pick < 1 || *request.pick > count) {
    throw CompileError(
        "--pick", fmt::format("{} is none of the plans, which are numbered 1 to {} (`thimble plan "
                              "--pareto` shows them)",
                              *request.pick, count));
  }
  return static_cast<size_t>(*request.pick - 1);
}

// The plans that were found, placed; then the one that is taken.
ChosenPlan chosen_of_front(const Graph& graph, std::vector<FrontPoint> found,
                           const Request& request, const TimeLimit& time) {
  const std::string& core = request.target.core.name;
  const bool stands_in = !core.empty() && estimated_core(request.target.core).name != core;
  Front front{.points = {},
              .by_number = request.pick.has_value(),
              .sram_limit_bytes = request.arena_limit_bytes(),
              .max_latency = max_latency(request),
              .core = estimated_core(request.target.core).name,
              .stands_in = stands_in,
              .clock_hz = stands_in ? 0 : request.target.clock_hz};
  Candidates all;
  // Half of it is for the plan that promises the fewest bytes, on which it depends what fits.
  int64_t work = kFrontLayoutWork / 2;
  for (const FrontPoint& point : found) {
    if (late(&time) && !all.plans.empty()) break;
    if (const std::string fault = malformed(graph, point.schedule); !fault.empty())
      throw InternalError("a plan of the front: " + fault);
    all.plans.push_back(placed(graph, point.schedule, request, time, work));
    all.figures.push_back(figures_of(graph, all.plans.back(), front));
    work = kFrontLayoutWork / 2 / static_cast<int64_t>(found.size());
  }
  improve_chosen(graph, found, request, time, all, front);
  const std::vector<size_t> kept = undominated(all.figures);
  front.points.clear();
  for (const size_t k : kept) front.points.push_back(all.figures[k]);
  front.picked = picked_point(front, request);
  const size_t taken = kept[front.picked];
  return {std::move(all.plans[taken]), std::move(found[taken].notes), std::move(front)};
}

}  // namespace

ChosenPlan chosen_plan(const Graph& graph, const PlannerChoice& choice, Planned planned,
                       const Request& request, const TimeLimit& time) {
  const Graph meant = with_accumulators(graph, planned.accumulators);
  ChosenPlan chosen;
  if (planned.front.empty()) {
    if (request.pick)
      throw CompileError("--pick", fmt::format("is for planners with a choice of plans; {} has one",
                                               choice.planner->name));
    chosen = {
        placed(meant, planned.schedule, request, time, layout::kSearchWork, planned.room_bytes),
        std::move(planned.notes), std::nullopt};
  } else {
    chosen = chosen_of_front(meant, std::move(planned.front), request, time);
  }
  const PlacementOptions options{.method = request.layout, .time = &time};
  use_further_memories(meant, request, options, chosen.plan);
  if (request.states_apart) keep_states_apart(meant, options, chosen.plan);
  chosen.plan.planner = request.planner.empty() ? choice.planner->name : request.planner;
  if (!planned.accumulators.empty()) chosen.plan.scale_source = std::move(planned.scale_source);
  chosen.plan.accumulators = std::move(planned.accumulators);
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
