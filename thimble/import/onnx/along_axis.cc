// SPDX-License-Identifier: Apache-2.0
#include "thimble/import/onnx/along_axis.h"

#include <algorithm>
#include <numeric>

namespace thimble::onnx {
namespace {

/// Positions with one step between them.
struct Run {
  int64_t begin = 0, step = 1, count = 1;
};

std::vector<Run> runs_of(const std::vector<int64_t>& positions) {
  std::vector<Run> runs;
  for (size_t k = 0; k < positions.size();) {
    Run run{.begin = positions[k]};
    size_t end = k + 1;
    if (end < positions.size() && positions[end] != positions[k]) {
      run.step = positions[end] - positions[k];
      while (end < positions.size() && positions[end] - positions[end - 1] == run.step) ++end;
    }
    run.count = static_cast<int64_t>(end - k);
    runs.push_back(run);
    k = end;
  }
  return runs;
}

int place_in(const Order& order, size_t axis) {
  return static_cast<int>(std::ranges::find(order, static_cast<int>(axis)) - order.begin());
}

TensorId sliced(const Reading& r, const Value& x, int place, const Run& run) {
  Shape shape = in_order(x.shape, x.order);
  Slice slice{.begin = std::vector<int64_t>(shape.size(), 0),
              .stride = std::vector<int64_t>(shape.size(), 1),
              .dropped = {}};
  slice.begin[static_cast<size_t>(place)] = run.begin;
  slice.stride[static_cast<size_t>(place)] = run.step;
  shape[static_cast<size_t>(place)] = run.count;
  return r.network.make(r.node, slice, {x.tensor}, x.type, shape);
}

}  // namespace

Value in_shape(const Value& x, Shape shape) {
  Value result{.type = x.type, .shape = std::move(shape)};
  result.reshaped = std::make_shared<const Value>(x.reshaped == nullptr ? x : *x.reshaped);
  return result;
}

Value joined_along(const Reading& r, const std::vector<Value>& parts, size_t axis) {
  if (parts.size() == 1) return parts[0];
  const Value& first = parts[0];
  const Order order = Reading::order_of(parts);
  Shape shape = first.shape;
  shape[axis] = 0;
  std::vector<TensorId> tensors;
  for (const Value& part : parts) {
    shape[axis] += part.shape[axis];
    tensors.push_back(r.network.tensor(r.node, part, order));
  }
  return r.value(Concat{.axis = place_in(order, axis)}, std::move(tensors), first.type, shape,
                 order);
}

Lines lines_of(const Reading& r, const Value& x, const Reduction& reduction) {
  Lines lines;
  Order order;
  for (size_t axis = 0; axis < x.rank(); ++axis) {
    if (std::ranges::find(reduction.axes, static_cast<int>(axis)) != reduction.axes.end()) continue;
    order.push_back(static_cast<int>(axis));
    lines.count *= x.shape[axis];
  }
  for (const int axis : reduction.axes) {
    order.push_back(axis);
    lines.length *= x.shape[static_cast<size_t>(axis)];
  }
  lines.tensor = r.network.tensor(r.node, x, order);
  return lines;
}

Value taken(const Reading& r, const Value& x, size_t axis, const std::vector<int64_t>& positions) {
  constexpr size_t kMostRuns = 16;
  std::vector<int64_t> all(static_cast<size_t>(x.shape[axis]));
  std::iota(all.begin(), all.end(), 0);
  if (positions == all) return x;
  const Value from = r.settled(x);
  const int place = place_in(from.order, axis);
  Shape shape = x.shape;
  shape[axis] = std::ssize(positions);
  Value result{.type = x.type, .shape = shape};
  result.order = from.order;
  const std::vector<Run> runs = runs_of(positions);
  if (runs.size() == 1) {
    result.tensor = sliced(r, from, place, runs[0]);
    return result;
  }
  if (runs.size() <= kMostRuns) {
    std::vector<TensorId> parts;
    for (const Run& run : runs) parts.push_back(sliced(r, from, place, run));
    result.tensor = r.network.make(r.node, Concat{.axis = place}, std::move(parts), x.type,
                                   in_order(shape, from.order));
    return result;
  }
  const TensorId indices = r.network.constant(
      constant_of({std::ssize(positions)}, positions, DType::kInt32), "positions");
  result.tensor = r.network.make(r.node, Gather{.axis = place}, {from.tensor, indices}, x.type,
                                 in_order(shape, from.order));
  return result;
}

Value mixed(const Reading& r, const Value& x, size_t axis, const std::vector<float>& matrix) {
  Order order = Reading::order_of(x);
  std::erase(order, static_cast<int>(axis));
  order.push_back(static_cast<int>(axis));
  const int64_t outputs = std::ssize(matrix) / x.shape[axis];
  const TensorId weights =
      r.network.constant(constant_of({outputs, x.shape[axis]}, matrix), "weights");
  Shape shape = x.shape;
  shape[axis] = outputs;
  return r.value(FullyConnected{}, {r.network.tensor(r.node, x, order), weights}, x.type, shape,
                 order);
}

}  // namespace thimble::onnx
