// SPDX-License-Identifier: Apache-2.0
// Operators that leave one number of many along axes.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "thimble/import/onnx/reading.h"
#include "thimble/import/onnx/shapes.h"

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

// A pool: what is left as rows, what goes as columns of one channel.
template <bool kLeast>
void extreme(Reading& r) {
  const Value& x = r.input(0);
  const Reduction left = reduction(r);
  if (left.axes.empty()) return r.make(0, x);
  Order order;
  int64_t rows = 1, columns = 1;
  for (size_t axis = 0; axis < x.rank(); ++axis) {
    if (among(left.axes, static_cast<int>(axis))) continue;
    order.push_back(static_cast<int>(axis));
    rows *= x.shape[axis];
  }
  for (const int axis : left.axes) {
    order.push_back(axis);
    columns *= x.shape[static_cast<size_t>(axis)];
  }
  const TensorId turned = r.network.tensor(r.node, x, order);
  const TensorId image = r.network.make(r.node, Reshape{}, {turned}, x.type, {1, rows, columns, 1});
  const TensorId pooled =
      r.network.make(r.node, MaxPool2D{.window = {.kernel_w = columns}, .least = kLeast}, {image},
                     x.type, {1, rows, 1, 1});
  r.make(0, r.value(Reshape{}, {pooled}, x.type, left.shape, same_order(left.shape.size())));
}

template <bool kLeast>
void arg(Reading& r) {
  const Value& x = r.input(0);
  if (r.node.whole("select_last_index", 0) != 0)
    r.node.refuse("is not supported with select_last_index; the first index is");
  const size_t axis = r.node.axis(r.node.whole("axis", 0), x.rank());
  const Value from = r.settled(x);
  Shape shape = x.shape;
  shape.erase(shape.begin() + static_cast<long>(axis));
  const std::vector<int> axes = {static_cast<int>(axis)};
  const ArgMax kind{.axis = static_cast<int>(std::ranges::find(from.order, static_cast<int>(axis)) -
                                             from.order.begin()),
                    .least = kLeast};
  Value result =
      r.value(kind, {from.tensor}, DType::kInt32, shape, order_left(from.order, axes, false));
  if (r.node.whole("keepdims", 1) != 0) {
    Value kept{.type = DType::kInt32, .shape = x.shape};
    kept.shape[axis] = 1;
    kept.reshaped = std::make_shared<const Value>(std::move(result));
    result = std::move(kept);
  }
  r.make(0, std::move(result));
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
                                {"ReduceSum", sum},
                                {"ReduceSumSquare", sum_of_squares},
                                {"Softmax", softmax<Softmax>}};
  return all;
}

}  // namespace thimble::onnx
