// SPDX-License-Identifier: Apache-2.0
// Changes to a network of one operator, mostly to spoil it.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <utility>
#include <variant>

#include "thimble/model/graph.h"

namespace thimble::testing {

/// Gives a tensor another shape; a constant as many bytes, all 1.
void set_shape(Graph& graph, int tensor, const Shape& shape);

/// Makes it a constant of this value everywhere. T: as wide as its elements.
template <class T>
void set_all(Tensor& tensor, T value) {
  Bytes bytes(static_cast<size_t>(tensor.size_bytes()));
  for (size_t i = 0; i < bytes.size(); i += sizeof value) {
    std::memcpy(&bytes[i], &value, sizeof value);
  }
  tensor.data = std::make_shared<const Bytes>(std::move(bytes));
}

/// Makes all tensors float32, and constants 1.
void in_float(Graph& graph);

namespace spoil {

inline Op& op(Graph& g) { return g.ops[0]; }
inline Tensor& operand(Graph& g, size_t i) { return g.tensors[i]; }
inline Tensor& output(Graph& g) { return g.tensors.back(); }
template <class A>
A& attributes(Graph& g) {
  return std::get<A>(op(g).attributes);
}
inline void set_all_shapes(Graph& g, const Shape& shape) {
  for (Tensor& t : g.tensors) t.shape = shape;
}
inline void set_scale(Tensor& t, float scale) { t.quantization.scales = {scale}; }

}  // namespace spoil
}  // namespace thimble::testing
