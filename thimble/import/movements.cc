// SPDX-License-Identifier: Apache-2.0
#include "thimble/import/movements.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <span>
#include <utility>

namespace thimble {
namespace {

int64_t product_of(std::span<const int64_t> extents) {
  return std::accumulate(extents.begin(), extents.end(), int64_t{1}, std::multiplies<>());
}

}  // namespace

Moved input_of(const FileOp& op) { return {op.inputs[0], op.input(0).shape}; }

Moved sliced(Expansion& steps, const Moved& from, size_t axis, int64_t begin, int64_t stride,
             int64_t count) {
  Slice slice{
      std::vector<int64_t>(from.shape.size(), 0), std::vector<int64_t>(from.shape.size(), 1), {}};
  slice.begin[axis] = begin;
  slice.stride[axis] = count == 1 ? 1 : stride;  // as files are read, too
  Shape shape = from.shape;
  shape[axis] = count;
  return {steps.make(std::move(slice), {from.tensor}, shape), shape};
}

Moved joined(Expansion& steps, const std::vector<Moved>& parts, size_t axis) {
  if (parts.size() == 1) return parts[0];
  Shape shape = parts[0].shape;
  std::vector<TensorId> inputs;
  shape[axis] = 0;
  for (const Moved& part : parts) {
    shape[axis] += part.shape[axis];
    inputs.push_back(part.tensor);
  }
  return {steps.make(Concat{.axis = static_cast<int>(axis)}, inputs, shape), shape};
}

Moved rearranged(Expansion& steps, const Moved& from, const Shape& apart,
                 const std::vector<int>& order, const Shape& last) {
  Shape turned;
  for (const int axis : order) turned.push_back(apart[static_cast<size_t>(axis)]);
  const TensorId a = steps.make(Reshape{}, {from.tensor}, apart);
  const TensorId b = steps.make(Transpose{order}, {a}, turned);
  return {steps.make(Reshape{}, {b}, last), last};
}

Moved gathered(const FileOp& op, Expansion& steps, const Moved& x, size_t axis,
               const std::vector<int64_t>& positions) {
  std::vector<Moved> parts;
  for (size_t k = 0; k < positions.size();) {
    const int64_t begin = positions[k];
    const int64_t stride = k + 1 < positions.size() ? positions[k + 1] - begin : 1;
    size_t end = k + 1;
    while (stride != 0 && end < positions.size() && positions[end] - positions[end - 1] == stride)
      ++end;
    const int64_t last = positions[end - 1];
    if (std::min(begin, last) < 0 || std::max(begin, last) >= x.shape[axis]) {
      op.damaged(
          fmt::format("it gathers [{}] of {} indices", fmt::join(positions, ", "), x.shape[axis]));
    }
    if (parts.size() == kMostParts) {
      op.refuse(fmt::format("its {} positions are more than {} runs, which are not supported",
                            positions.size(), kMostParts));
    }
    parts.push_back(
        sliced(steps, x, axis, begin, stride == 0 ? 1 : stride, static_cast<int64_t>(end - k)));
    k = end;
  }
  if (parts.empty()) refuse_shapes(op, "no positions");
  return joined(steps, parts, axis);
}

Moved gathered_of_batches(const FileOp& op, Expansion& steps, size_t axis, size_t batch_axes,
                          std::vector<int64_t> positions) {
  const Moved x = input_of(op);
  const std::span<const int64_t> extents(x.shape);
  const int64_t batches = product_of(extents.first(batch_axes)), count = x.shape[axis];
  const int64_t outer = product_of(extents.subspan(batch_axes, axis - batch_axes));
  const int64_t inner = product_of(extents.subspan(axis + 1));
  if (static_cast<int64_t>(positions.size()) % batches != 0) refuse_shapes(op, "other positions");
  const int64_t each = static_cast<int64_t>(positions.size()) / batches;
  for (size_t k = 0; k < positions.size(); ++k) {
    if (positions[k] < 0 || positions[k] >= count) refuse_shapes(op, "positions beyond the axis");
    positions[k] += static_cast<int64_t>(k) / each * count;
  }
  const std::vector<int> axis_before_outer = {0, 2, 1, 3};
  const Moved flat = rearranged(steps, x, {batches, outer, count, inner}, axis_before_outer,
                                {batches * count, outer * inner});
  const Moved found = gathered(op, steps, flat, 0, positions);
  return rearranged(steps, found, {batches, each, outer, inner}, axis_before_outer,
                    {batches, outer, each, inner});
}

void finish_with(Expansion& steps, const Moved& moved) { steps.finish(Reshape{}, {moved.tensor}); }

void finish_repeated(const FileOp& op, Expansion& steps, Moved x,
                     const std::vector<int64_t>& times) {
  for (size_t axis = 0; axis < times.size(); ++axis) {
    if (times[axis] < 1 || times[axis] > static_cast<int64_t>(kMostParts)) {
      op.refuse(fmt::format("{} copies along axis {} are not supported; supported are 1 to {}",
                            times[axis], axis, kMostParts));
    }
    x = joined(steps, std::vector<Moved>(static_cast<size_t>(times[axis]), x), axis);
  }
  expect_shape(op, x.shape, fmt::format("copies of [{}]", fmt::join(times, ", ")));
  finish_with(steps, x);
}

}  // namespace thimble
