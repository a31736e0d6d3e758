// SPDX-License-Identifier: Apache-2.0
// Weights that a file computes of constants: other operators ask for constants.
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

}  // namespace thimble
