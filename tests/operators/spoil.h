// SPDX-License-Identifier: Apache-2.0
// Parts of a network of one operator, to spoil one of them.
#pragma once

#include <cstddef>
#include <variant>

#include "thimble/model/graph.h"

namespace thimble::testing::spoil {

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

}  // namespace thimble::testing::spoil
