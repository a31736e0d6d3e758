// SPDX-License-Identifier: Apache-2.0
// FULLY_CONNECTED and BATCH_MATMUL.
#include <algorithm>

#include "thimble/import/tflite/operators/lists.h"
#include "thimble/import/tflite/shape_rules.h"

namespace thimble {
namespace {

Attributes fully_connected(const TfliteOp& op) {
  const auto& from = options<tfl::FullyConnectedOptions>(op);
  if (from.weights_format != tfl::FullyConnectedOptionsWeightsFormat::DEFAULT) {
    op.refuse("shuffled weights are not supported; supported is the default format");
  }
  return FullyConnected{.activation = activation(op, from.activation)};
}

Attributes batch_matmul(const TfliteOp& op) {
  const auto& from = options<tfl::BatchMatMulOptions>(op);
  return BatchMatMul{.adjoint_x = from.adj_x, .adjoint_y = from.adj_y};
}

Shape connected(const TfliteOp& op) {
  const auto& o = options<tfl::FullyConnectedOptions>(op);
  Shape x = shape_of(op, 0, 1);
  const Shape& w = shape_of(op, 1, 2);
  if (w[1] < 1 || elements(x) % w[1] != 0) refuse_operands(op);
  if (!o.keep_num_dims) return {elements(x) / w[1], w[0]};
  x.back() = w[0];
  return x;
}

Shape multiplied(const TfliteOp& op) {
  const auto& o = options<tfl::BatchMatMulOptions>(op);
  const Shape &x = shape_of(op, 0, 2), &y = shape_of(op, 1, 2);
  Shape longer = x.size() >= y.size() ? x : y;
  const Shape& shorter = x.size() >= y.size() ? y : x;
  for (size_t k = 3; k <= shorter.size(); ++k)
    longer[longer.size() - k] = std::max(longer[longer.size() - k], shorter[shorter.size() - k]);
  longer[longer.size() - 2] = x[x.size() - (o.adj_x ? 1 : 2)];
  longer.back() = y[y.size() - (o.adj_y ? 2 : 1)];
  return longer;
}

}  // namespace

OperatorList matrix_product_kinds() {
  using enum tfl::BuiltinOperator;
  using enum OperatorKind::Uint8;
  static constexpr OperatorKind kKinds[] = {
      {.code = BATCH_MATMUL, .inputs = {2, 2}, .attributes = batch_matmul, .shape = multiplied},
      {.code = FULLY_CONNECTED,
       .inputs = {2, 3},
       .first_optional = 2,
       .weighted = true,
       .attributes = fully_connected,
       .shape = connected,
       .uint8 = kComputes},
  };
  return kKinds;
}

}  // namespace thimble
