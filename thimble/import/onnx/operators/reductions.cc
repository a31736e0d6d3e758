// SPDX-License-Identifier: Apache-2.0
// Operators that leave one number of many along axes.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "thimble/import/onnx/along_axis.h"
#include "thimble/import/onnx/extremes.h"

namespace thimble::onnx {
namespace {

bool among(const std::vector<int>& axes, int axis) {
  return std::ranges::find(axes, axis) != axes.end();
}

// The order of what is left; kept axes have one index.
Order order_left(const Order& order, const std::vector<int>& axes, bool kept) {
  if (kept) return order;
  Order left;
  for (const int axis : order) {
    if (among(axes, axis)) continue;
    left.push_back(axis - static_cast<int>(std::ranges::count_if(
                              axes, [&](int reduced) { return reduced < axis; })));
  }
  return left;
}

template <class Kind>
Value reduced(const Reading& r, const Value& x, const Reduction& reduction) {
  if (reduction.axes.empty()) return x;
  const Value from = r.settled(x);
  Kind kind;
  for (size_t k = 0; k < from.order.size(); ++k)
    if (among(reduction.axes, from.order[k])) kind.axes.push_back(static_cast<int>(k));
  const bool kept = reduction.shape.size() == x.rank();
  return r.value(kind, {from.tensor}, x.type, reduction.shape,
                 order_left(from.order, reduction.axes, kept));
}

Reduction reduction(const Reading& r) {
  return reduction_of(r.node, r.input(0).shape, r.constants());
}

void mean(Reading& r) { r.make(0, reduced<Mean>(r, r.input(0), reduction(r))); }
void sum(Reading& r) { r.make(0, reduced<Sum>(r, r.input(0), reduction(r))); }

void sum_of_squares(Reading& r) {
  r.make(0, reduced<Sum>(r, r.each(Elementwise{Function::kSquare}, r.input(0)), reduction(r)));
}

void l1(Reading& r) { r.make(0, reduced<Sum>(r, r.each(Abs{}, r.input(0)), reduction(r))); }

void l2(Reading& r) {
  const Value squares =
      reduced<Sum>(r, r.each(Elementwise{Function::kSquare}, r.input(0)), reduction(r));
  r.make(0, r.each(Elementwise{Function::kSqrt}, squares));
}

void log_sum(Reading& r) {
  r.make(0, r.each(Elementwise{Function::kLog}, reduced<Sum>(r, r.input(0), reduction(r))));
}

void log_sum_exp(Reading& r) {
  const Value sums = reduced<Sum>(r, r.each(Elementwise{Function::kExp}, r.input(0)), reduction(r));
  r.make(0, r.each(Elementwise{Function::kLog}, sums));
}

template <bool kLeast>
void extreme(Reading& r) {
  const Value& x = r.input(0);
  const Reduction left = reduction(r);
  r.make(0, left.axes.empty() ? x : extreme_of(r, x, left, kLeast));
}

// Halves of rows times each other, until one number is left.
void product_of_row(Reading& r) {
  const Value& x = r.input(0);
  const Reduction left = reduction(r);
  if (left.axes.empty()) return r.make(0, x);
  const Lines lines = lines_of(r, x, left);
  const Shape matrix = {lines.count, lines.length};
  Value product = r.value(Reshape{}, {lines.tensor}, x.type, matrix, same_order(2));
  while (product.shape[1] > 1) {
    const int64_t length = product.shape[1], half = length / 2;
    const auto part = [&](int64_t begin, int64_t count) {
      std::vector<int64_t> positions(static_cast<size_t>(count));
      std::iota(positions.begin(), positions.end(), begin);
      return taken(r, product, 1, positions);
    };
    Value halves = r.each(Mul{}, part(0, half), part(half, half));
    product =
        length % 2 == 0 ? std::move(halves) : joined_along(r, {halves, part(length - 1, 1)}, 1);
  }
  r.make(0, in_shape(product, left.shape));
}

template <bool kLeast>
void arg(Reading& r) {
  const Value& x = r.input(0);
  const size_t axis = r.node.axis(r.node.whole("axis", 0), x.rank());
  const bool last = r.node.whole("select_last_index", 0) != 0;
  const Value found = index_of_extreme(r, x, axis, {.least = kLeast, .last = last});
  Shape shape = found.shape;
  if (r.node.whole("keepdims", 1) == 0) shape.erase(shape.begin() + static_cast<long>(axis));
  r.make(0, in_shape(found, shape));
}

void cumulative(Reading& r) {
  const Value from = r.settled(r.input(0));
  const Constant& given = r.constant(1, "an axis");
  if (given.size() != 1) r.node.damaged("its axis is not one number");
  const size_t axis = r.node.axis(wholes(given)[0], from.rank());
  const auto place = std::ranges::find(from.order, static_cast<int>(axis)) - from.order.begin();
  r.make(0, r.value(CumSum{.axis = static_cast<int>(place),
                           .exclusive = r.node.whole("exclusive", 0) != 0,
                           .reverse = r.node.whole("reverse", 0) != 0},
                    {from.tensor}, from.type, from.shape, from.order));
}

// Over the last axis of a tensor; before opset 13 over all from an axis on.
template <class Kind>
void softmax(Reading& r) {
  const Value& x = r.input(0);
  const bool single = r.node.opset >= 13;
  const size_t axis = r.node.axis(r.node.whole("axis", single ? -1 : 1), x.rank());
  if (single || axis + 1 == x.rank()) {
    Order order = Reading::order_of(x);
    if (order.back() != static_cast<int>(axis)) {
      std::erase(order, static_cast<int>(axis));
      order.push_back(static_cast<int>(axis));
    }
    return r.make(0, r.value(Kind{}, {r.network.tensor(r.node, x, order)}, x.type, x.shape, order));
  }
  const Order order = same_order(x.rank());
  const int64_t rows = std::accumulate(x.shape.begin(), x.shape.begin() + static_cast<long>(axis),
                                       int64_t{1}, std::multiplies());
  const Shape matrix = {rows, elements(x.shape) / rows};
  const TensorId flat =
      r.network.make(r.node, Reshape{}, {r.network.tensor(r.node, x, order)}, x.type, matrix);
  const TensorId made = r.network.make(r.node, Kind{}, {flat}, x.type, matrix);
  r.make(0, r.value(Reshape{}, {made}, x.type, x.shape, order));
}

}  // namespace

const ReadNodes& reduction_operators() {
  static const ReadNodes all = {{"ArgMax", arg<false>},
                                {"ArgMin", arg<true>},
                                {"CumSum", cumulative},
                                {"LogSoftmax", softmax<LogSoftmax>},
                                {"ReduceL1", l1},
                                {"ReduceL2", l2},
                                {"ReduceLogSum", log_sum},
                                {"ReduceLogSumExp", log_sum_exp},
                                {"ReduceMax", extreme<false>},
                                {"ReduceMean", mean},
                                {"ReduceMin", extreme<true>},
                                {"ReduceProd", product_of_row},
                                {"ReduceSum", sum},
                                {"ReduceSumSquare", sum_of_squares},
                                {"Softmax", softmax<Softmax>}};
  return all;
}

}  // namespace thimble::onnx
