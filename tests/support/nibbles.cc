// SPDX-License-Identifier: Apache-2.0
#include "tests/support/nibbles.h"

#include <algorithm>
#include <memory>
#include <variant>

namespace thimble::testing {

Graph in_nibbles(Graph graph) {
  for (size_t k = 0; k < graph.ops.size(); ++k) {
    const Op& op = graph.ops[k];
    const bool convolves = std::holds_alternative<Conv2D>(op.attributes) ||
                           std::holds_alternative<FullyConnected>(op.attributes);
    if (!convolves) continue;
    Tensor& tensor = graph.tensor(op.inputs[1]);
    if (tensor.type != DType::kInt8 || !tensor.is_constant()) continue;
    const int least = k % 3 == 0 ? -8 : -7;
    Bytes weights = *tensor.data;
    for (uint8_t& weight : weights)
      weight = static_cast<uint8_t>(std::max(static_cast<int8_t>(weight) >> 4, least));
    tensor.data = std::make_shared<const Bytes>(std::move(weights));
    for (float& scale : tensor.quantization.scales) scale *= 16;
  }
  return graph;
}

}  // namespace thimble::testing
