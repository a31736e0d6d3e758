// SPDX-License-Identifier: Apache-2.0
#include "thimble/reference/common_scale.h"

#include <algorithm>

#include "thimble/reference/fixed_point.h"

namespace thimble::reference {
namespace {

std::vector<int32_t> scaled_operand(const OpContext& context, size_t i, double common_scale,
                                    int left_shift, Quotients quotients) {
  const Tensor& input = context.input(i);
  const Shape& shape = context.output().shape;
  const std::vector<int32_t> values = integers_from(context.input_bytes(i), input.type);
  const FixedFactor factor =
      to_fixed_factor(quotient(double{scale_of(input)}, common_scale, quotients));
  const int32_t zero_point = zero_point_of(input);
  std::vector<int32_t> result;
  for (int64_t offset : offsets(shape, broadcast_strides(input.shape, shape))) {
    const int32_t centred = values[static_cast<size_t>(offset)] - zero_point;
    result.push_back(multiply(wrapping_shift_left(centred, left_shift), factor));
  }
  return result;
}

}  // namespace

int sum_left_shift(DType type) { return type == DType::kInt16 ? 15 : 20; }

double quotient(double a, double b, Quotients quotients) {
  if (quotients == Quotients::kDouble) return a / b;
  return double{static_cast<float>(a) / static_cast<float>(b)};
}

Quotients difference_quotients(Arithmetic arithmetic) {
  return arithmetic == Arithmetic::kTfliteUint8 ? Quotients::kDouble : Quotients::kFloat;
}

CommonScale at_common_scale(const OpContext& context, int left_shift, Quotients quotients) {
  const double scale =
      2.0 * double{std::max(scale_of(context.input(0)), scale_of(context.input(1)))};
  return {scale, scaled_operand(context, 0, scale, left_shift, quotients),
          scaled_operand(context, 1, scale, left_shift, quotients)};
}

}  // namespace thimble::reference
