// SPDX-License-Identifier: Apache-2.0
#include "thimble/plan/realise.h"

#include <algorithm>

#include "thimble/plan/build.h"

namespace thimble {

constexpr int kMostLayouts = 6;

Realisation::Realisation(const Dataflow& dataflow, LatencyEstimate& latency, Plan plan,
                         const PlacementOptions& options)
    : flow_(dataflow),
      options_(options),
      plan_(std::move(plan)),
      schedule_(build(dataflow, plan_)),
      choice_(dataflow, plan_, schedule_, latency) {
  options_.uses = &dataflow.axes.kernel_uses();
}

RealisedPlan Realisation::with(KernelSelection::Chosen chosen) const {
  RealisedPlan result{.plan = plan_, .placement = {}, .instructions = chosen.instructions};
  result.plan.kernels = std::move(chosen.kernels);
  const Schedule schedule = with_kernels(flow_, schedule_, result.plan.kernels);
  result.placement = place(flow_.graph, schedule, options_);
  return result;
}

KernelSelection::Chosen Realisation::live_within(int64_t live_bytes) {
  return choice_.within(std::max(live_bytes, choice_.portable().live_bytes));
}

RealisedPlan Realisation::portable() { return with(choice_.portable()); }

RealisedPlan Realisation::arena_within(int64_t arena_bytes) {
  const int64_t least = choice_.portable().live_bytes;
  int64_t live_bytes = arena_bytes;
  for (int n = 0; n < kMostLayouts && live_bytes >= least; ++n) {
    RealisedPlan found = with(choice_.within(live_bytes));
    const int64_t beyond = found.placement.arena_bytes() - arena_bytes;
    if (beyond <= 0) return found;
    // What is lost between buffers, and then more and more.
    live_bytes = std::min(live_bytes - beyond, live_bytes - (live_bytes - least) / 4 - 1);
  }
  return portable();
}

}  // namespace thimble
