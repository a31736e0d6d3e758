// SPDX-License-Identifier: Apache-2.0
// Weights of int8 beside activations of float32.
#include "thimble/import/tflite_parts.h"
#include "thimble/model/dequantised.h"

namespace thimble {

void expand_weights(std::vector<Tensor>& tensors, Op& op) {
  const bool weighted = std::holds_alternative<Conv2D>(op.attributes) ||
                        std::holds_alternative<DepthwiseConv2D>(op.attributes) ||
                        std::holds_alternative<FullyConnected>(op.attributes);
  if (!weighted || op.inputs.size() < 2) return;
  const Tensor& weights = tensors[op.inputs[1].index()];
  if (tensors[op.inputs[0].index()].type != DType::kFloat32 || weights.type != DType::kInt8 ||
      !weights.is_constant() || weights.quantization.scales.empty() ||
      is_hybrid(op.attributes, 1, weights))
    return;
  op.inputs[1] = TensorId{static_cast<int32_t>(tensors.size())};
  tensors.push_back(dequantised(weights));
}

void DequantisedConstants::read_as_they_were(std::vector<Op>& ops,
                                             const std::vector<Tensor>& tensors) const {
  for (Op& op : ops) {
    for (size_t k = 0; k < op.inputs.size(); ++k) {
      const auto from = of_.find(op.inputs[k]);
      if (from != of_.end() && is_hybrid(op.attributes, k, tensors[from->second.index()]))
        op.inputs[k] = from->second;
    }
  }
}

}  // namespace thimble
