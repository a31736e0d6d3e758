// SPDX-License-Identifier: Apache-2.0
#include "thimble/import/constants.h"

#include <algorithm>
#include <utility>

#include "thimble/model/dequantised.h"
#include "thimble/operators/operators.h"

namespace thimble {

void fold_constants(std::vector<Op>& ops, std::vector<Tensor>& tensors, ConstantFolding& folding) {
  Graph graph{.name = "", .tensors = std::move(tensors)};
  std::erase_if(ops, [&](const Op& op) {
    return unsupported_reason(graph, op).empty() && macs(graph, op) == 0 && folding.fold(graph, op);
  });
  tensors = std::move(graph.tensors);
}

std::string refusal_of(Op& op, Graph& graph) {
  std::string reason = unsupported_reason(graph, op);
  if (reason.empty()) return reason;
  const auto bias = silenced_bias(graph, op);
  if (bias == nullptr) return reason;
  Op silent = op;
  Tensor tensor = graph.tensor(op.inputs[2]);
  tensor.data = bias;
  silent.inputs[2] = {static_cast<int32_t>(graph.tensors.size())};
  graph.tensors.push_back(std::move(tensor));
  reason = unsupported_reason(graph, silent);
  if (reason.empty()) op = std::move(silent);
  return reason;
}

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
