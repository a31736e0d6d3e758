// SPDX-License-Identifier: Apache-2.0
// Weights that a file computes of constants: other operators ask for constants; and biases of dead
// channels.
#include <algorithm>
#include <utility>

#include "thimble/import/tflite_parts.h"
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

}  // namespace thimble
