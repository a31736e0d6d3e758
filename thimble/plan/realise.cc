// SPDX-License-Identifier: Apache-2.0
#include "thimble/plan/realise.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "thimble/plan/build.h"

namespace thimble {

Realisation::Realisation(const Dataflow& dataflow, const LatencyEstimate& latency, Plan plan,
                         const PlacementOptions& options)
    : flow_(dataflow),
      options_(options),
      plan_(std::move(plan)),
      schedule_(build(dataflow, plan_)),
      macs_(macs(dataflow.graph, schedule_)),
      latency_(latency),
      choice_(dataflow, plan_, schedule_, latency) {
  options_.uses = &dataflow.axes.kernel_uses();
}

void Realisation::add_waits(const TransferCycles& cycles) {
  LatencyEstimate latency(flow_, latency_);
  wait_cycles_ = transfer_wait(latency, flow_, plan_, cycles);
}

namespace {

bool lies_over_input(const Schedule& schedule, const Placement& placement, const Step& step) {
  if (step.in.empty() || step.in[0].from.size() != 1) return false;
  const BufferId ids[] = {step.out, step.in[0].buffer()};
  const auto address = [&](BufferId id) { return placement.addresses[id.index()]; };
  const auto end = [&](BufferId id) { return address(id) + schedule.buffer(id).size_bytes(); };
  return address(ids[0]) < end(ids[1]) && address(ids[1]) < end(ids[0]);
}

}  // namespace

RealisedPlan Realisation::with(KernelSelection::Chosen chosen, std::optional<int64_t> work) {
  RealisedPlan result{.plan = plan_,
                      .schedule = with_kernels(flow_, schedule_, chosen.kernels),
                      .placement = {},
                      .instructions = chosen.instructions,
                      .wait_cycles = wait_cycles_,
                      .macs = macs_};
  result.plan.kernels = std::move(chosen.kernels);
  PlacementOptions options = options_;
  options.work = work.value_or(options.work);
  result.placement = place(flow_.graph, result.schedule, options);
  for_each_step(result.schedule, [&](const Step& step, Position position) {
    const auto at = static_cast<size_t>(position);
    if (at < result.plan.kernels.size() &&
        !lies_over_input(result.schedule, result.placement, step))
      result.instructions -= choice_.over_input(position, result.plan.kernels[at]);
  });
  return result;
}

KernelSelection::Chosen Realisation::live_within(int64_t live_bytes) {
  return choice_.within(
      {.live_bytes = std::max(live_bytes, choice_.portable().live_bytes), .weight_bytes = {}});
}

namespace {
constexpr size_t kMostLayouts = 10;  ///< of selections
}

// With less room for all; and with less scratch for each where much is live, as kernels do nearly
// as well with less: the fastest first.
std::optional<RealisedPlan> Realisation::fastest_within(int64_t arena_bytes,
                                                        std::optional<int64_t> weight_bytes,
                                                        int64_t work) {
  std::vector<KernelSelection::Chosen> all;
  const auto add = [&](const KernelLimits& limits) {
    KernelSelection::Chosen chosen = choice_.within(limits);
    const auto same = [&](const auto& other) { return other.kernels == chosen.kernels; };
    if (std::ranges::none_of(all, same)) all.push_back(std::move(chosen));
  };
  for (const int64_t percent : {100, 98, 95, 90, 85, 70, 50, 30}) {
    const int64_t bytes = arena_bytes * percent / 100;
    add({.live_bytes = bytes, .weight_bytes = weight_bytes});
    for (const int64_t scratch : {4096, 1024, 512, 256, 0})
      add({.live_bytes = arena_bytes,
           .weight_bytes = weight_bytes,
           .scratch_bytes = scratch,
           .free_bytes = bytes});
  }
  std::ranges::stable_sort(all, {}, &KernelSelection::Chosen::instructions);
  // Choices of kernels that follow one another often fail alike: steps grow until one fits.
  std::optional<RealisedPlan> best;
  std::optional<size_t> close;         // the fastest that failed, but for the layout
  size_t first = 0, end = all.size();  // what may still be the fastest that fits
  for (size_t n = 0, next = 0; n < kMostLayouts && first < end; ++n) {
    const size_t k = best ? first : std::min(next, end - 1);
    RealisedPlan found = with(all[k], work);
    if (found.placement.arena_bytes() <= arena_bytes) {
      best = std::move(found);
      end = k;
    } else {
      if (!close && found.placement.arena().lower_bound_bytes <= arena_bytes) close = k;
      first = k + 1;
      next = k + 1 + n / 2;
    }
  }
  if (!close || options_.work <= work) return best;
  RealisedPlan closed = with(all[*close]);
  return closed.placement.arena_bytes() <= arena_bytes ? std::move(closed) : std::move(best);
}

RealisedPlan Realisation::arena_within(std::optional<int64_t> arena_bytes,
                                       std::optional<int64_t> weight_bytes) {
  const bool can_fit = arena_bytes && choice_.portable().live_bytes <= *arena_bytes;
  const int64_t quick = std::min(options_.work, layout::kSearchWork / 100);
  if (can_fit) {
    if (auto found = fastest_within(*arena_bytes, weight_bytes, quick)) return std::move(*found);
  }
  RealisedPlan portable = with(choice_.portable());
  const int64_t arena = portable.placement.arena_bytes();
  if (can_fit && arena <= *arena_bytes) return portable;
  // That took all the work, and may leave no room for less.
  const int64_t most = arena_bytes ? arena : arena + arena / kScratchShare;
  auto found = fastest_within(most, weight_bytes,
                              std::max(quick, options_.work / static_cast<int64_t>(kMostLayouts)));
  return found ? std::move(*found) : portable;
}

RealisedPlan realised(const Graph& graph, Plan plan, const Core& core,
                      std::optional<int64_t> arena_bytes, const PlacementOptions& options) {
  const AxisGraph axes(graph);
  const Instances instances = plan.instances;
  const Dataflow flow(axes, instances);
  const LatencyModel model = latency_model_for(core);
  LatencyEstimate latency(flow, core, model);
  return Realisation(flow, latency, std::move(plan), options).arena_within(arena_bytes);
}

}  // namespace thimble
