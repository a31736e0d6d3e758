// SPDX-License-Identifier: Apache-2.0
// An operator with its tensors at hand. Private to thimble/operators.
#pragma once

#include "thimble/model/error.h"
#include "thimble/model/graph.h"

namespace thimble {

struct OpView {
  const Graph& graph;
  const Op& op;

  [[nodiscard]] size_t inputs() const { return op.inputs.size(); }
  [[nodiscard]] const Tensor& in(size_t i) const {
    check(i < op.inputs.size(), "an operator lacks an input");
    return graph.tensor(op.inputs[i]);
  }
  [[nodiscard]] const Tensor& out() const {
    check(!op.outputs.empty(), "an operator lacks its output");
    return graph.tensor(op.outputs[0]);
  }
  /// Shapes of the first input and of the weights (second input).
  [[nodiscard]] const Shape& x() const { return in(0).shape; }
  [[nodiscard]] const Shape& weights() const { return in(1).shape; }
  [[nodiscard]] bool has_bias() const { return op.inputs.size() > 2; }
};

}  // namespace thimble
