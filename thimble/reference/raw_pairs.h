// SPDX-License-Identifier: Apache-2.0
// Two operands element by element, broadcast to the output, as they are.
#pragma once

#include <utility>
#include <vector>

#include "thimble/reference/evaluate.h"

namespace thimble::reference {

/// visit(a, b) for each element of the output, of int8, int16, int32 or bool.
template <class Visit>
void for_each_raw_pair(const OpContext& context, Visit visit) {
  const auto operand = [&](size_t i) {
    const Tensor& input = context.input(i);
    const Shape& shape = context.output().shape;
    return std::pair(integers_from(context.input_bytes(i), input.type),
                     offsets(shape, broadcast_strides(input.shape, shape)));
  };
  const auto [a, a_offsets] = operand(0);
  const auto [b, b_offsets] = operand(1);
  for (size_t i = 0; i < a_offsets.size(); ++i)
    visit(a[static_cast<size_t>(a_offsets[i])], b[static_cast<size_t>(b_offsets[i])]);
}

/// combine(a, b), a value of the output's type, for each element of the output.
template <class Combine>
std::vector<Bytes> of_raw_pairs(const OpContext& context, Combine combine) {
  std::vector<int32_t> result;
  for_each_raw_pair(context, [&](int32_t a, int32_t b) { result.push_back(combine(a, b)); });
  return {bytes_from_integers(result, context.output().type)};
}

}  // namespace thimble::reference
