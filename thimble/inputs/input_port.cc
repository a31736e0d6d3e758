// SPDX-License-Identifier: Apache-2.0
#include "thimble/inputs/input_port.h"

#include <algorithm>
#include <cmath>

#include "thimble/model/error.h"
#include "thimble/reference/activation_range.h"
#include "thimble/reference/elements.h"

namespace thimble {
namespace {

/// What a tensor of integers can represent; nothing: it has no scale.
std::optional<std::pair<float, float>> range_of_quantised(const Tensor& tensor) {
  const Quantization& q = tensor.quantization;
  if (q.scales.size() != 1 || tensor.type == DType::kFloat32) return std::nullopt;
  const reference::IntegerRange steps = reference::range_of(tensor.type);
  const int64_t zero = q.zero_points.empty() ? 0 : q.zero_points[0];
  return std::pair(q.scales[0] * static_cast<float>(steps.min - zero),
                   q.scales[0] * static_cast<float>(steps.max - zero));
}

bool is_picture(const PictureForm& form) {
  return form.rows > 1 && form.columns > 1 && (form.channels == 1 || form.channels == 3);
}

}  // namespace

InputPort input_port(const Graph& graph, size_t number, const ModelMetadata& metadata) {
  const Port& port = graph.inputs[number];
  InputPort result{.tensor = graph.tensor(port.tensor), .shape = caller_shape(graph, port)};
  result.range = range_of_quantised(result.tensor);
  for (const Op& op : graph.ops) {
    if (result.range || !std::holds_alternative<Quantize>(op.attributes)) continue;
    if (op.inputs[0] == port.tensor) result.range = range_of_quantised(graph.tensor(op.outputs[0]));
  }
  // New rows go to a window as they are, or quantised.
  TensorId rows = port.tensor;
  for (const Op& op : graph.ops) {
    if (std::holds_alternative<Quantize>(op.attributes) && op.inputs[0] == rows)
      rows = op.outputs[0];
    if (std::holds_alternative<ShiftIn>(op.attributes) && op.inputs[1] == rows)
      result.window = graph.tensor(op.inputs[0]).shape;
  }
  if (metadata.inputs.size() == graph.inputs.size()) result.metadata = metadata.inputs[number];
  return result;
}

std::optional<PictureForm> picture_form(const InputPort& port, PictureAxes axes) {
  Shape shape = port.shape;
  if (!shape.empty() && shape[0] == 1 && shape.size() > 2) shape.erase(shape.begin());
  if (shape.size() == 2 && shape[0] > 1) shape.push_back(1);
  if (std::ranges::any_of(shape, [](int64_t extent) { return extent > 65536; }))
    return std::nullopt;
  const auto at = [&](size_t k) { return static_cast<int32_t>(shape[k]); };
  if (shape.size() != 3) return std::nullopt;
  const PictureForm last{at(0), at(1), at(2), false}, first{at(1), at(2), at(0), true};
  if (axes != PictureAxes::kChannelsFirst && is_picture(last)) return last;
  if (axes != PictureAxes::kChannelsLast && is_picture(first)) return first;
  return std::nullopt;
}

Bytes quantised(const Tensor& tensor, std::span<const float> reals, size_t& clipped) {
  if (tensor.type == DType::kFloat32)
    return reference::bytes_from(std::vector<float>(reals.begin(), reals.end()));
  const Quantization& q = tensor.quantization;
  const float scale = q.scales.empty() ? 1 : q.scales[0];
  const int32_t zero = q.zero_points.empty() ? 0 : q.zero_points[0];
  const reference::IntegerRange range = reference::range_of(tensor.type);
  std::vector<int32_t> steps;
  for (const float real : reals) {
    const int64_t step = reference::quantize_real(real, scale, zero);
    const int64_t within = std::clamp(step, range.min, range.max);
    if (within != step) ++clipped;
    steps.push_back(static_cast<int32_t>(within));
  }
  return reference::bytes_from_integers(steps, tensor.type);
}

}  // namespace thimble
