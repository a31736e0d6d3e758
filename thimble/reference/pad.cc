// SPDX-License-Identifier: Apache-2.0
// PAD and PADV2: the input inside a frame of one value, for every element type.
#include <algorithm>

#include "thimble/reference/bounds_of.h"
#include "thimble/reference/evaluate.h"
#include "thimble/reference/real_of.h"

namespace thimble::reference {
namespace {

/// The low bytes of `value`, sign-extended: its little-endian form in any integer type.
Bytes element_bytes(int32_t value, int64_t size) {
  Bytes result;
  for (int64_t i = 0; i < size; ++i) {
    result.push_back(static_cast<uint8_t>(int64_t{value} >> (8 * i)));
  }
  return result;
}

}  // namespace

std::vector<Bytes> evaluate(const Pad& op, const OpContext& context) {
  const Tensor& input = context.input(0);
  const Tensor& output = context.output();
  check(op.before.size() == input.shape.size(), "paddings are given for every axis");
  const int64_t size = size_bytes(input.type);
  const Bytes filling = element_bytes(op.value, size);
  Bytes result;
  for (int64_t i = 0; i < elements(output.shape); ++i) {
    result.insert(result.end(), filling.begin(), filling.end());
  }

  Strides strides = row_major_strides(output.shape);
  int64_t first = 0;
  for (size_t axis = 0; axis < strides.size(); ++axis) {
    strides[axis] *= size;
    first += op.before[axis] * strides[axis];
  }
  auto source = context.input_bytes(0).begin();
  for (int64_t offset : offsets(input.shape, strides)) {
    std::copy_n(source, size, result.begin() + first + offset);
    source += size;
  }
  return {result};
}

RealValues real_of(const Pad& op, const RealContext& c) { return moved(op, c); }

ValueRanges bounds_of(const Pad& op, const BoundsContext& c) {
  const ValueRange frame{op.value, op.value};
  ValueRanges result = c.input_bounds(0);
  if (result.empty()) return {};
  const size_t last = op.before.size() - 1;
  for (size_t axis = 0; axis < last; ++axis) {
    if (op.before[axis] == 0 && op.after[axis] == 0) continue;
    for (ValueRange& i : result) i = hull(i, frame);
  }
  result.insert(result.begin(), static_cast<size_t>(op.before[last]), frame);
  result.insert(result.end(), static_cast<size_t>(op.after[last]), frame);
  return result;
}

}  // namespace thimble::reference
