// SPDX-License-Identifier: Apache-2.0
// SLICE and STRIDED_SLICE: copies raw elements, for every element type.
#include <algorithm>

#include "thimble/reference/bounds_of.h"
#include "thimble/reference/evaluate.h"
#include "thimble/reference/real_of.h"

namespace thimble::reference {

std::vector<Bytes> evaluate(const Slice& op, const OpContext& context) {
  const Tensor& input = context.input(0);
  const Tensor& output = context.output();
  const int64_t size = size_bytes(input.type);
  const size_t rank = input.shape.size();
  check(op.begin.size() == rank && op.stride.size() == rank, "a slice is given for every axis");
  check(output.shape.size() + op.dropped.size() == rank, "a slice drops the axes it names");
  const Strides from = row_major_strides(input.shape);
  Strides strides;  // of the output's axes, in the input
  int64_t first = 0;
  for (size_t axis = 0; axis < rank; ++axis) {
    first += op.begin[axis] * from[axis];
    const bool dropped = std::ranges::count(op.dropped, static_cast<int>(axis)) > 0;
    if (!dropped) strides.push_back(op.stride[axis] * from[axis]);
  }
  const Bytes& bytes = context.input_bytes(0);
  Bytes result;
  result.reserve(static_cast<size_t>(output.size_bytes()));
  for (int64_t offset : offsets(output.shape, strides)) {
    const auto begin = bytes.begin() + (first + offset) * size;
    result.insert(result.end(), begin, begin + size);
  }
  return {result};
}

RealValues real_of(const Slice& op, const RealContext& c) { return moved(op, c); }

ValueRanges bounds_of(const Slice& op, const BoundsContext& c) {
  if (c.input_bounds(0).empty()) return {};
  const size_t last = op.begin.size() - 1;
  if (std::ranges::count(op.dropped, static_cast<int>(last)) > 0)
    return everywhere(c.output(), c.input_bounds(0)[static_cast<size_t>(op.begin[last])]);
  ValueRanges result;
  for (int64_t k = 0; k < static_cast<int64_t>(channels_of(c.output())); ++k)
    result.push_back(c.input_bounds(0)[static_cast<size_t>(op.begin[last] + k * op.stride[last])]);
  return result;
}

}  // namespace thimble::reference
