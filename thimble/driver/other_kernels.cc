// SPDX-License-Identifier: Apache-2.0
#include "thimble/driver/other_kernels.h"

#include "thimble/driver/chosen_plan.h"
#include "thimble/plan/build.h"
#include "thimble/plan/realise.h"

namespace thimble {

std::optional<RealisedPlan> with_other_kernels(const Compiled& compiled, const Core& core,
                                               int64_t live_bytes) {
  if (!compiled.decided) return std::nullopt;
  const Core estimated = estimated_core(core);
  const LatencyModel model = latency_model_for(estimated);
  const AxisGraph axes(compiled.graph);
  const Dataflow flow(axes, compiled.decided->instances);
  LatencyEstimate latency(flow, estimated, model);
  Realisation realisation(flow, latency, without_kernels(*compiled.decided),
                          {.method = LayoutMethod::kGreedyBySize});
  return realisation.with(realisation.live_within(live_bytes));
}

}  // namespace thimble
