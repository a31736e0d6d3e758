// SPDX-License-Identifier: Apache-2.0
// PAD and PADV2: the input inside a frame of one value, for every element type.
#include <algorithm>

#include "thimble/reference/evaluate.h"

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

}  // namespace thimble::reference
