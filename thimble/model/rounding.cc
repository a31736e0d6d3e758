// SPDX-License-Identifier: Apache-2.0
#include "thimble/model/rounding.h"

namespace thimble {

bool rounds_once(const Graph& graph, const Op& op) {
  if (graph.tensor(op.inputs.at(0)).type != DType::kInt16) return false;
  return op.inputs.size() < 3 || graph.tensor(op.inputs[2]).type != DType::kInt32;
}

}  // namespace thimble
