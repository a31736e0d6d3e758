// SPDX-License-Identifier: Apache-2.0
// Weights that a file computes of constants: other operators ask for constants.
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

}  // namespace thimble
