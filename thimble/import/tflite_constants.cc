// SPDX-License-Identifier: Apache-2.0
// Weights that a file computes of constants: other operators ask for constants; and biases of dead
// channels.
#include <algorithm>
#include <utility>

#include "thimble/import/tflite_parts.h"
#include "thimble/operators/operators.h"
#include "thimble/reference/interpreter.h"

namespace thimble {
namespace {

bool is_foldable(const Graph& graph, const Op& op, int64_t most_bytes) {
  const auto is_constant = [&](TensorId id) { return graph.tensor(id).is_constant(); };
  return std::ranges::all_of(op.inputs, is_constant) && unsupported_reason(graph, op).empty() &&
         graph.tensor(op.outputs[0]).size_bytes() <= most_bytes && macs(graph, op) == 0;
}

}  // namespace

void fold_constants(std::vector<Op>& ops, std::vector<Tensor>& tensors, int64_t& budget_bytes) {
  Graph graph{.name = "", .tensors = std::move(tensors)};
  std::erase_if(ops, [&](const Op& op) {
    if (!is_foldable(graph, op, budget_bytes)) return false;
    budget_bytes -= graph.tensor(op.outputs[0]).size_bytes();
    std::vector<Bytes> values = interpret_op(graph, op, TensorValues(graph.tensors.size()));
    graph.tensor(op.outputs[0]).data = std::make_shared<const Bytes>(std::move(values.at(0)));
    return true;
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
