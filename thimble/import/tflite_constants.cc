// SPDX-License-Identifier: Apache-2.0
// Weights that a file computes of constants: other operators ask for constants.
#include <algorithm>
#include <utility>

#include "thimble/import/tflite_parts.h"
#include "thimble/operators/operators.h"
#include "thimble/reference/interpreter.h"

namespace thimble {
namespace {

/// More is left to the rewrites: importing takes a moment only.
constexpr int64_t kMostFoldedBytes = int64_t{1} << 24;

bool is_foldable(const Graph& graph, const Op& op) {
  const auto is_constant = [&](TensorId id) { return graph.tensor(id).is_constant(); };
  return std::ranges::all_of(op.inputs, is_constant) && unsupported_reason(graph, op).empty() &&
         graph.tensor(op.outputs[0]).size_bytes() <= kMostFoldedBytes && macs(graph, op) == 0;
}

}  // namespace

void fold_constants(std::vector<Op>& ops, std::vector<Tensor>& tensors) {
  Graph graph{.name = "", .tensors = std::move(tensors)};
  std::erase_if(ops, [&](const Op& op) {
    if (!is_foldable(graph, op)) return false;
    std::vector<Bytes> values = interpret_op(graph, op, TensorValues(graph.tensors.size()));
    graph.tensor(op.outputs[0]).data = std::make_shared<const Bytes>(std::move(values.at(0)));
    return true;
  });
  tensors = std::move(graph.tensors);
}

}  // namespace thimble
