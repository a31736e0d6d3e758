// SPDX-License-Identifier: Apache-2.0
#include "thimble/driver/layer_estimate.h"

#include "thimble/driver/chosen_plan.h"
#include "thimble/plan/latency_estimate.h"

namespace thimble {

std::optional<CoreEstimate> layer_estimate(const Graph& graph, const Target& target) {
  const Core core = estimated_core(target.core);
  const std::optional<LatencyModel> model = latency_model(core);
  const bool stands_in = !target.core.name.empty() && target.core.name != core.name;
  if (!model || stands_in) return std::nullopt;
  CoreEstimate result{
      .core = core.name, .clock_hz = target.clock_hz, .estimate = {}, .cycles = model->cycles};
  const AxisGraph axes(graph);
  const Instances instances = instances_of(graph, {});
  const Dataflow flow(axes, instances);
  LatencyEstimate latency(flow, core, *model);
  Estimate& estimate = result.estimate;
  estimate.instructions = model->program;
  for (size_t k = 0; k < graph.ops.size(); ++k) {
    const auto number = static_cast<int32_t>(k);
    estimate.steps.push_back(latency.whole({.instance = InstanceId{number}}, true));
    estimate.instructions += estimate.steps.back();
    for (const KernelUse& use : axes.uses(OpId{number}, Method::kCompute)) {
      const char* kernel = info(use.kernel).name;
      if (model->coefficients(kernel) == nullptr) estimate.left_out.insert(kernel);
    }
  }
  return result;
}

}  // namespace thimble
