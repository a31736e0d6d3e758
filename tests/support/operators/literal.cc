// SPDX-License-Identifier: Apache-2.0
#include "tests/support/operators/literal.h"

#include <utility>

#include "tests/support/operators/spoil.h"

namespace thimble::testing {

Literal& Literal::tensor(const Shape& shape, DType type, const Quantization& q) {
  graph_.tensors.push_back({"", shape, type, q, nullptr});
  return *this;
}

Literal& Literal::constant(const Shape& shape, DType type, const Quantization& q) {
  tensor(shape, type, q);
  set_all(graph_.tensors.back(), uint8_t{1});
  return *this;
}

Graph Literal::op(Attributes attributes) {
  Op op{std::move(attributes), {}, {}, 0};
  const auto last = static_cast<int32_t>(graph_.tensors.size()) - 1;
  for (int32_t t = 0; t < last; ++t) {
    op.inputs.push_back({t});
    if (!graph_.tensor({t}).is_constant()) graph_.inputs.push_back({{t}, {}});
  }
  op.outputs = {{last}};
  graph_.outputs = {{{last}, {}}};
  graph_.name = snake_name(op.attributes);
  graph_.ops.push_back(std::move(op));
  return graph_;
}

}  // namespace thimble::testing
