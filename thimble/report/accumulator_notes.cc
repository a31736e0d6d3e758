// SPDX-License-Identifier: Apache-2.0
#include "thimble/report/accumulator_notes.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

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
