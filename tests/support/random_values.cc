// SPDX-License-Identifier: Apache-2.0
// Values for networks of one operator, and these networks in float32.
#include <algorithm>
#include <cmath>

#include "tests/support/operators/op_draw.h"
#include "tests/support/random_op.h"
#include "thimble/operators/operators.h"
#include "thimble/reference/elements.h"

namespace thimble::testing {
namespace {

using zoo::Random;

/// The extent of the axis that an operand has indices of; 0: it has none.
int64_t indexed_extent(const Graph& graph, TensorId tensor) {
  for (const Op& op : graph.ops) {
    const Shape& x = graph.tensor(op.inputs[0]).shape;
    const auto* gather = std::get_if<Gather>(&op.attributes);
    if (gather != nullptr && op.inputs[1] == tensor) return x[static_cast<size_t>(gather->axis)];
    if (std::holds_alternative<UpdateSlice>(op.attributes) && op.inputs[2] == tensor)
      return x.back();
  }
  return 0;
}

/// Weights that half of the networks keep as they are.
std::vector<bool> kept_in_int8(const Graph& graph, uint64_t seed) {
  std::vector<bool> kept(graph.tensors.size());
  if (Random(~seed).between(0, 1) == 0) return kept;
  for (const Op& op : graph.ops) {
    for (size_t k = 0; k < op.inputs.size(); ++k)
      kept[op.inputs[k].index()] =
          kept[op.inputs[k].index()] || is_hybrid(op.attributes, k, graph.tensor(op.inputs[k]));
  }
  return kept;
}

}  // namespace

Bytes random_positions(int64_t count, int64_t extent, Random& random) {
  std::vector<int32_t> values;
  for (; count > 0; --count) values.push_back(static_cast<int32_t>(random.between(-2, extent + 1)));
  return reference::bytes_from(values);
}

Graph in_float32(Graph graph, uint64_t seed) {
  Random random(seed);
  const std::vector<bool> kept = kept_in_int8(graph, seed);
  for (size_t k = 0; k < graph.tensors.size(); ++k) {
    if (kept[k]) continue;
    Tensor& t = graph.tensors[k];
    t.type = DType::kFloat32;
    t.quantization = {};
    if (t.is_constant())
      t.data = std::make_shared<const Bytes>(random_bytes_of(t.type, elements(t.shape), 1, random));
  }
  for (Op& op : graph.ops) {
    if (auto* pad = std::get_if<Pad>(&op.attributes)) pad->value = 0;
    if (auto* svdf = std::get_if<SvdfOutput>(&op.attributes))
      svdf->activation = static_cast<Activation>(random.between(0, 3));
  }
  const bool taken = std::ranges::all_of(
      graph.ops, [&](const Op& op) { return unsupported_reason(graph, op).empty(); });
  return taken ? graph : Graph{};
}

Bytes random_values(const Graph& graph, TensorId tensor, Random& random) {
  const Tensor& t = graph.tensor(tensor);
  if (const int64_t extent = indexed_extent(graph, tensor); extent > 0)
    return random_positions(elements(t.shape), extent, random);
  double range = 1;
  for (const Port& port : graph.outputs) {
    const std::vector<float>& scales = graph.tensor(port.tensor).quantization.scales;
    const int64_t width = size_bytes(graph.tensor(port.tensor).type);
    if (!scales.empty()) range = 1.2 * scales[0] * std::ldexp(1.0, static_cast<int>(8 * width) - 1);
  }
  return random_bytes_of(t.type, elements(t.shape), range, random);
}

std::vector<Bytes> random_inputs(const Graph& graph, uint64_t seed) {
  Random random(seed);
  std::vector<Bytes> values(graph.tensors.size());
  for (const Port& port : graph.inputs) {
    values[port.tensor.index()] = random_values(graph, port.tensor, random);
  }
  return values;
}

}  // namespace thimble::testing
