// SPDX-License-Identifier: Apache-2.0
#include "tests/support/random_op.h"

namespace thimble::testing {
Graph as_uint8(Graph graph, uint64_t seed) {
  Op& op = graph.ops.at(0);
  if (graph.tensor(op.inputs[0]).type != DType::kInt8 ||
      graph.tensor(op.outputs[0]).type != DType::kInt8)
    return graph;
  const bool has_weights = std::holds_alternative<Conv2D>(op.attributes) ||
                           std::holds_alternative<DepthwiseConv2D>(op.attributes);
  if (has_weights) {
    Quantization& q = graph.tensor(op.inputs[1]).quantization;
    if (q.scales.size() != 1) return graph;
    q.zero_points = {static_cast<int32_t>(zoo::Random(seed).between(-128, 127))};
  }
  const bool differs =
      std::visit([](const auto& a) { return kDiffersInUint8<std::remove_cvref_t<decltype(a)>>; },
                 op.attributes);
  if (differs) op.attributes.arithmetic = Arithmetic::kTfliteUint8;
  return graph;
}

}  // namespace thimble::testing
