// SPDX-License-Identifier: Apache-2.0
// Products of matrices. Those with constant weights are fully connected layers.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "thimble/import/onnx/reading.h"

namespace thimble::onnx {
namespace {

Constant with_shape(const Constant& content, Shape shape) {
  Constant result = content;
  result.shape = std::move(shape);
  return result;
}

// Its numbers in other places.
Constant with_data(const Constant& content, Shape shape, std::shared_ptr<const Bytes> data) {
  Constant result = with_shape(content, std::move(shape));
  result.data = std::move(data);
  return result;
}

/// Elements of x as rows of K, read from a tensor whose axes may be in another order: then
/// the columns of the weights are in that order, too, so that nothing is transposed.
struct Rows {
  TensorId tensor;
  Shape columns;       ///< of a row, as the file has them
  Order column_order;  ///< axis k of the tensor's row is axis column_order[k] of these
};

// Behind a Reshape that joins all axes but the first.
std::optional<Rows> rows_before_reshape(const Reading& r, const Value& x) {
  if (x.reshaped == nullptr || x.rank() != 2) return std::nullopt;
  const Value& before = *x.reshaped;
  if (before.constant != nullptr || before.rank() < 3 || before.shape[0] != x.shape[0] ||
      before.order[0] != 0)
    return std::nullopt;
  Rows rows{.tensor = before.tensor,
            .columns = Shape(before.shape.begin() + 1, before.shape.end()),
            .column_order = {}};
  for (size_t k = 1; k < before.order.size(); ++k) rows.column_order.push_back(before.order[k] - 1);
  (void)r;
  return rows;
}

// Weights [O,K] whose columns are [K] as `shape` has them, in an order of these axes.
TensorId weights_in(const Reading& r, const Constant& weights, const std::string& name,
                    const Shape& columns, const Order& order) {
  Shape apart = {weights.shape[0]};
  apart.insert(apart.end(), columns.begin(), columns.end());
  Order turn = {0};
  for (const int axis : order) turn.push_back(axis + 1);
  Value value = r.known(with_shape(weights, apart));
  value.name = name;
  const TensorId turned = r.network.tensor(r.node, value, turn);
  Tensor flat = r.network[turned];
  return r.network.constant(with_data(weights, weights.shape, flat.data), name);
}

// A matrix [K,N], or its transpose, as [N,K].
Constant outputs_first(const Reading& r, const Constant& matrix, bool transposed) {
  if (transposed) return matrix;
  Value value = r.known(matrix);
  const Tensor& turned = r.network[r.network.tensor(r.node, value, {1, 0})];
  return with_data(matrix, turned.shape, turned.data);
}

Constant scaled(const Constant& content, float factor) {
  if (factor == 1) return content;
  std::vector<float> values = reals(content);
  for (float& value : values) value *= factor;
  return constant_of(content.shape, values);
}

// x [.., K] times weights [N, K], with a bias.
Value connected(const Reading& r, const Value& x, const Constant& weights, const std::string& name,
                std::optional<Constant> bias) {
  const int64_t k = weights.shape[1];
  std::vector<TensorId> inputs;
  Order order = same_order(x.rank());
  if (const std::optional<Rows> rows = rows_before_reshape(r, x)) {
    inputs = {rows->tensor, weights_in(r, weights, name, rows->columns, rows->column_order)};
  } else {
    // Axes in front of the columns may stand in any order.
    const Order own = Reading::order_of(x);
    if (!own.empty() && own.back() == static_cast<int>(x.rank()) - 1) order = own;
    inputs = {r.network.tensor(r.node, x, order), r.network.constant(weights, name)};
  }
  if (bias)
    inputs.push_back(r.network.constant(*bias, r.node.record->inputs.size() > 2
                                                   ? std::string(r.node.record->inputs[2])
                                                   : name + "/bias"));
  Shape shape = x.shape;
  if (shape.empty() || shape.back() != k)
    r.node.damaged(fmt::format("{} times {}", to_string(x.shape), to_string(weights.shape)));
  shape.back() = weights.shape[0];
  return r.value(FullyConnected{}, std::move(inputs), x.type, shape, order);
}

Value product(const Reading& r, const Value& a, const Value& b) {
  if (a.rank() < 2 || b.rank() < 2)
    r.node.refuse(fmt::format("is not supported for {} and {}; both need two axes or more",
                              to_string(a.shape), to_string(b.shape)));
  const size_t rank = std::max(a.rank(), b.rank());
  const Value x = r.network.with_rank(r.node, a, rank), y = r.network.with_rank(r.node, b, rank);
  const Shape batches = broadcast(r.node, Shape(x.shape.begin(), x.shape.end() - 2),
                                  Shape(y.shape.begin(), y.shape.end() - 2));
  if (x.shape[rank - 1] != y.shape[rank - 2])
    r.node.damaged(fmt::format("{} times {}", to_string(a.shape), to_string(b.shape)));
  Shape shape = batches;
  shape.insert(shape.end(), {x.shape[rank - 2], y.shape[rank - 1]});
  // Either may have its last two axes the other way round.
  Order turned = same_order(rank);
  std::swap(turned[rank - 1], turned[rank - 2]);
  const bool x_turned = Reading::order_of(x) == turned, y_turned = Reading::order_of(y) == turned;
  return r.value(BatchMatMul{.adjoint_x = x_turned, .adjoint_y = y_turned},
                 {r.network.tensor(r.node, x, x_turned ? turned : same_order(rank)),
                  r.network.tensor(r.node, y, y_turned ? turned : same_order(rank))},
                 x.type, shape, same_order(rank));
}

void matmul(Reading& r) {
  const Value &a = r.input(0), &b = r.input(1);
  if (b.constant != nullptr && b.rank() == 2 && a.rank() >= 2)
    return r.make(0, connected(r, a, outputs_first(r, *b.constant, false), b.name, std::nullopt));
  r.make(0, product(r, a, b));
}

void gemm(Reading& r) {
  const Value &a = r.input(0), &b = r.input(1);
  const bool turns_a = r.node.whole("transA", 0) != 0, turns_b = r.node.whole("transB", 0) != 0;
  const float alpha = r.node.real("alpha", 1), beta = r.node.real("beta", 1);
  if (a.rank() != 2 || b.rank() != 2)
    r.node.refuse(fmt::format("is not supported for {} and {}; both need two axes",
                              to_string(a.shape), to_string(b.shape)));
  const auto turned = [&](const Value& value) {
    Value result = r.settled(value);
    for (int& axis : result.order) axis = 1 - axis;
    std::swap(result.shape[0], result.shape[1]);
    return result;
  };
  const Value x = turns_a ? turned(a) : a;
  const int64_t outputs = turns_b ? b.shape[0] : b.shape[1];
  const bool has_bias = r.has(2) && r.input(2).constant != nullptr &&
                        elements(r.input(2).shape) == outputs &&
                        (r.input(2).shape.empty() || r.input(2).shape.back() == outputs);
  Value result;
  if (b.constant != nullptr) {
    std::optional<Constant> bias;
    if (has_bias) bias = scaled(with_shape(*r.input(2).constant, {outputs}), beta);
    result = connected(r, x, scaled(outputs_first(r, *b.constant, turns_b), alpha), b.name,
                       std::move(bias));
    if (!r.has(2) || has_bias) return r.make(0, std::move(result));
  } else {
    result = product(r, x, turns_b ? turned(b) : b);
    if (alpha != 1) result = r.each(Mul{}, result, r.number(alpha));
  }
  if (r.has(2)) {
    const Value c = beta == 1 ? r.input(2) : r.each(Mul{}, r.input(2), r.number(beta));
    result = r.each(Add{}, result, c);
  }
  r.make(0, std::move(result));
}

}  // namespace

const ReadNodes& product_operators() {
  static const ReadNodes all = {{"Gemm", gemm}, {"MatMul", matmul}};
  return all;
}

}  // namespace thimble::onnx
