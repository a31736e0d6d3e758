// SPDX-License-Identifier: Apache-2.0
#include "tests/support/operators/spoil.h"

#include <cstdint>

namespace thimble::testing {

void set_shape(Graph& graph, int tensor, const Shape& shape) {
  Tensor& t = graph.tensors.at(static_cast<size_t>(tensor));
  t.shape = shape;
  if (t.is_constant()) set_all(t, uint8_t{1});
}

void in_float(Graph& graph) {
  for (Tensor& t : graph.tensors) {
    t.type = DType::kFloat32;
    t.quantization = {};
    if (t.is_constant()) set_all(t, 1.0F);
  }
}

}  // namespace thimble::testing
