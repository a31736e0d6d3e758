// SPDX-License-Identifier: Apache-2.0
#include "tests/support/real_network.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "thimble/operators/operators.h"
#include "thimble/reference/real_values.h"

namespace thimble::testing {

namespace {

/// Which it need not have: what follows of x and the weights.
void give_scale_to_bias(Graph& graph, const Op& op) {
  if (op.inputs.size() != 3) return;
  Tensor& bias = graph.tensor(op.inputs[2]);
  const Quantization &x = graph.tensor(op.inputs[0]).quantization,
                     &weights = graph.tensor(op.inputs[1]).quantization;
  if (bias.type != DType::kInt32 || !bias.quantization.scales.empty()) return;
  if (x.scales.size() != 1 || weights.scales.empty()) return;
  bias.quantization = weights;
  bias.quantization.axis = 0;
  for (float& scale : bias.quantization.scales) scale *= x.scales[0];
}

}  // namespace

std::optional<Graph> real_network(Graph integers) {
  if (!integers.states.empty() || !integers.accumulators.empty()) return std::nullopt;
  for (Op& op : integers.ops) {
    op.attributes.arithmetic = Arithmetic::kTflite;
    if (auto* pad = std::get_if<Pad>(&op.attributes)) {
      const Quantization& q = integers.tensor(op.inputs[0]).quantization;
      if (q.scales.size() == 1)
        pad->value =
            std::bit_cast<int32_t>(q.scales[0] * static_cast<float>(pad->value - q.zero_points[0]));
    }
  }
  for (const Op& op : integers.ops) give_scale_to_bias(integers, op);
  for (Tensor& tensor : integers.tensors) {
    if (tensor.quantization.scales.empty()) continue;
    if (tensor.is_constant()) {
      const RealValues values = dequantised(tensor, *tensor.data);
      Bytes bytes(values.size() * sizeof(float));
      if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
      tensor.data = std::make_shared<const Bytes>(std::move(bytes));
    }
    tensor.type = DType::kFloat32;
    tensor.quantization = {};
  }
  const bool taken = std::ranges::all_of(integers.ops, [&](const Op& op) {
    return !std::holds_alternative<Quantize>(op.attributes) &&
           !std::holds_alternative<Dequantize>(op.attributes) &&
           unsupported_reason(integers, op).empty();
  });
  if (!taken) return std::nullopt;
  return integers;
}

}  // namespace thimble::testing
