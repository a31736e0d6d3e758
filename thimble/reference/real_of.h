// SPDX-License-Identifier: Apache-2.0
// What each operator computes in float32, in the file of its name, and what several share. Private
// to thimble/reference.
#pragma once

#include <span>
#include <vector>

#include "thimble/model/error.h"
#include "thimble/reference/elements.h"
#include "thimble/reference/evaluate.h"
#include "thimble/reference/real_values.h"
#include "thimble/reference/tensor_values.h"

namespace thimble::reference {

struct RealContext {
  const Graph& graph;
  const Op& op;
  const std::vector<const RealValues*>& inputs;

  [[nodiscard]] const Shape& shape(size_t i) const { return graph.tensor(op.inputs[i]).shape; }
  [[nodiscard]] const Shape& output_shape() const { return graph.tensor(op.outputs[0]).shape; }
};

// The output. Operators of the audio front end (kIsSignal) have none.
#define THIMBLE_OPERATOR(Kind, name) \
  [[nodiscard]] RealValues real_of(const Kind& op, const RealContext& context);
#include "thimble/model/operators.def"

[[nodiscard]] RealValues clamped(Activation activation, RealValues values);

/// The largest number in a row.
[[nodiscard]] float largest_of(std::span<const float> row);

[[nodiscard]] RealValues of_each(const RealContext& context, float (*function)(float) noexcept);

/// combine(a, b) of two operands that are broadcast to the output.
template <class Combine>
RealValues combined(const RealContext& c, Combine combine) {
  const Shape& to = c.output_shape();
  const std::vector<int64_t> a = offsets(to, broadcast_strides(c.shape(0), to));
  const std::vector<int64_t> b = offsets(to, broadcast_strides(c.shape(1), to));
  RealValues result(a.size());
  for (size_t i = 0; i < result.size(); ++i) {
    result[i] = combine((*c.inputs[0])[static_cast<size_t>(a[i])],
                        (*c.inputs[1])[static_cast<size_t>(b[i])]);
  }
  return result;
}

/// Operators that move elements do not look at them: what evaluate() makes of their bytes.
template <class Operator>
RealValues moved(const Operator& op, const RealContext& c) {
  TensorValues values(c.graph.tensors.size());
  for (size_t i = 0; i < c.inputs.size(); ++i) {
    check(c.graph.tensor(c.op.inputs[i]).type == DType::kFloat32, "a tensor of a real network");
    values[c.op.inputs[i].index()] = bytes_from(*c.inputs[i]);
  }
  return elements_from<float>(evaluate(op, OpContext{c.graph, c.op, values})[0]);
}

}  // namespace thimble::reference
