// SPDX-License-Identifier: Apache-2.0
#include "thimble/report/page_figures.h"

#include <nlohmann/json.hpp>

#include "thimble/report/buffers_json.h"

namespace thimble {
namespace {

using Json = nlohmann::ordered_json;

Json tensors_json(const Graph& graph) {
  Json tensors = Json::array();
  for (size_t t = 0; t < graph.tensors.size(); ++t) {
    const Tensor& tensor = graph.tensors[t];
    if (tensor.is_constant()) continue;
    tensors.push_back({{"id", t},
                       {"name", tensor.name},
                       {"type", name(tensor.type)},
                       {"shape", tensor.shape},
                       {"bytes", tensor.size_bytes()}});
  }
  return tensors;
}

Json before_json(const std::optional<EarlierPlan>& before) {
  if (!before) return nullptr;
  const MemoryPlacement& arena = before->plan.placement.arena();
  return {{"planner", before->plan.planner},
          {"peak_bytes", arena.peak_bytes},
          {"arena_bytes", before->plan.placement.arena_bytes()},
          {"loops", loops_json(before->plan.schedule)},
          {"steps", steps_json(before->graph, before->plan, before->live_bytes, before->estimate)},
          {"buffers", buffers_json(before->graph, before->plan)}};
}

}  // namespace

Json page_json(const Graph& graph, const PlacedPlan& plan,
               const std::optional<CoreEstimate>& estimate, const PageFigures& figures) {
  const Verification& verification = figures.verification;
  return {{"verification",
           {{"right", verification.ok()},
            {"calls", verification.calls},
            {"checked_elements", verification.checked_elements},
            {"recomputed_elements", verification.recomputed_elements}}},
          {"interpreter", interpreter_json(figures.interpreter, estimate ? estimate->clock_hz : 0)},
          {"tensors", tensors_json(graph)},
          {"layers", layers_json(graph, figures.layers, estimate)},
          {"loops", loops_json(plan.schedule)},
          {"before", before_json(figures.before)}};
}

}  // namespace thimble
