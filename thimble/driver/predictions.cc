// SPDX-License-Identifier: Apache-2.0
#include "thimble/driver/predictions.h"

#include <algorithm>
#include <cmath>

#include "thimble/driver/class_labels.h"
#include "thimble/reference/interpreter.h"
#include "thimble/reference/real_values.h"

namespace thimble {
namespace {

RealValues output_values(const Graph& graph, const std::vector<Bytes>& outputs, size_t k) {
  const Port& port = graph.outputs[k];
  return dequantised(graph.tensor(port.tensor), from_port(graph, port, outputs[k]));
}

/// Where in the packed output of a TFLite_Detection_PostProcess a tensor begins, in elements for
/// each detection: 0 boxes, 4 classes, 5 scores, 6 their number. Nothing: it is no part of one.
std::optional<int64_t> part_of_detections(const Graph& graph, TensorId tensor) {
  const std::vector<OpId> made_by = producers(graph);
  int64_t begin = 0;
  while (made_by[tensor.index()].valid()) {
    const Op& op = graph.op(made_by[tensor.index()]);
    if (const auto* found = std::get_if<DetectionPostProcess>(&op.attributes))
      return begin / found->max_detections;
    const auto* slice = std::get_if<Slice>(&op.attributes);
    if (slice == nullptr && !std::holds_alternative<Reshape>(op.attributes)) return std::nullopt;
    if (slice != nullptr && slice->begin.size() == 1) begin = slice->begin[0];
    tensor = op.inputs[0];
  }
  return std::nullopt;
}

}  // namespace

std::vector<float> class_scores(const Graph& graph, const std::vector<Bytes>& outputs) {
  const Port* port = class_output(graph);
  if (port == nullptr) return {};
  return output_values(graph, outputs, static_cast<size_t>(port - graph.outputs.data()));
}

std::optional<DetectorOutputs> detector_outputs(const Graph& imported) {
  std::optional<size_t> found[7];
  for (size_t k = 0; k < imported.outputs.size(); ++k) {
    const auto part = part_of_detections(imported, imported.outputs[k].tensor);
    if (part && *part <= 6) found[*part] = k;
  }
  if (!found[0] || !found[4] || !found[5]) return std::nullopt;
  return DetectorOutputs{
      .boxes = *found[0], .classes = *found[4], .scores = *found[5], .count = found[6]};
}

std::vector<Detection> detections_in(const Graph& graph, const DetectorOutputs& which,
                                     const std::vector<Bytes>& outputs,
                                     const std::vector<std::string>& labels, float least) {
  const RealValues boxes = output_values(graph, outputs, which.boxes);
  const RealValues classes = output_values(graph, outputs, which.classes);
  const RealValues scores = output_values(graph, outputs, which.scores);
  size_t count = std::min({scores.size(), classes.size(), boxes.size() / 4});
  if (which.count) {
    const float given = output_values(graph, outputs, *which.count)[0];
    count = std::min(count, static_cast<size_t>(std::clamp(given, 0.0F, 1e6F)));
  }
  std::vector<Detection> result;
  for (size_t n = 0; n < count; ++n) {
    if (!(scores[n] >= least)) continue;
    const auto number = static_cast<int64_t>(std::clamp(classes[n], 0.0F, 1e6F));
    const auto index = static_cast<size_t>(number);
    result.push_back({boxes[4 * n],
                      boxes[4 * n + 1],
                      boxes[4 * n + 2],
                      boxes[4 * n + 3],
                      {number, index < labels.size() ? labels[index] : "", scores[n]}});
  }
  return result;
}

}  // namespace thimble
