// SPDX-License-Identifier: Apache-2.0
#include "thimble/report/accumulator_notes.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "thimble/reference/lossiness.h"
#include "thimble/report/tensor_text.h"

namespace thimble {

std::vector<std::string> accumulator_notes(const Graph& graph, const std::string& scale_source) {
  if (graph.accumulators.empty()) return {};
  std::vector<std::string> notes = {
      "LOSSY: outputs are bit-identical to the reference with the accumulators below, not to the "
      "model's ordinary arithmetic"};
  for (const Accumulator& a : graph.accumulators) {
    notes.push_back(fmt::format(
        "sums of '{}' in {}: scale {:.6g} ({}), zero point {}, {} input channel{} at a time",
        display_name(graph.tensor(a.tensor).name), name(a.type), a.scale, scale_source,
        a.zero_point, a.chunk, a.chunk == 1 ? "" : "s"));
  }
  return notes;
}

std::vector<std::string> lossiness_notes(const Graph& graph, const std::string& scale_source) {
  constexpr double kAllSteps = 255;  // an int8 tensor has no more
  std::vector<std::string> notes;
  for (const Lossiness& l : lossiness(graph)) {
    const Tensor& t = graph.tensor(l.tensor);
    const double steps = l.rounding_steps + l.saturation_steps;
    const std::string extent =
        steps >= kAllSteps
            ? "anything: "
            : fmt::format("off by up to {:.4g} of its {} steps: ", steps, kAllSteps + 1);
    const std::string scale =
        l.derived ? "its scale is the bound that the weights give"
                  : fmt::format("its scale cannot be derived from the model (the plan says: '{}')",
                                display_name(scale_source));
    notes.push_back(
        fmt::format("LOSSY: values of '{}', summed in {} with scale {:.6g}, may be {}{:.4g} by "
                    "rounding, {:.4g} "
                    "by saturation; {}",
                    display_name(t.name), name(find_accumulator(graph, l.tensor)->type),
                    find_accumulator(graph, l.tensor)->scale, extent, l.rounding_steps,
                    l.saturation_steps, scale));
  }
  return notes;
}

nlohmann::ordered_json accumulators_json(const Graph& graph) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const Accumulator& a : graph.accumulators) {
    json.push_back({{"tensor", a.tensor.value},
                    {"name", graph.tensor(a.tensor).name},
                    {"type", name(a.type)},
                    {"scale", a.scale},
                    {"zero_point", a.zero_point},
                    {"chunk", a.chunk}});
  }
  return json;
}

}  // namespace thimble
