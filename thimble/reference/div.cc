// SPDX-License-Identifier: Apache-2.0
// DIV: the dividend times the reciprocal of the divisor, requantised. Over zero, where the original
// is undefined: the end of the range on the dividend's side, 0 / 0 the zero point; int32 0.
#include <algorithm>
#include <bit>

#include "thimble/reference/activation_range.h"
#include "thimble/reference/bounds_of.h"
#include "thimble/reference/raw_pairs.h"
#include "thimble/reference/real_of.h"

namespace thimble::reference {
namespace {

/// Dividend and divisor are less their zero points; the divisor is not 0.
int32_t scaled_quotient(int32_t dividend, int32_t divisor, FixedFactor factor) {
  if (divisor < 0) {
    dividend = -dividend;
    divisor = -divisor;
  }
  const Reciprocal inverse = reciprocal_of(divisor, 31);
  const int headroom =
      std::countl_zero(static_cast<uint32_t>(dividend < 0 ? ~dividend : dividend)) - 1;
  const int32_t unscaled = saturating_rounding_doubling_high_mul(
      wrapping_shift_left(dividend, headroom), inverse.reciprocal.raw);
  const int shift = factor.shift - inverse.exponent - headroom;
  if (shift < -31) return 0;
  return multiply(unscaled, {factor.multiplier, shift});
}

}  // namespace

std::vector<Bytes> evaluate(const Div& op, const OpContext& context) {
  const Tensor &a = context.input(0), &b = context.input(1), &output = context.output();
  if (output.type == DType::kInt32) {
    return of_raw_pairs(context, [](int32_t x, int32_t y) {
      return y == 0 ? 0 : static_cast<int32_t>(int64_t{x} / y);
    });
  }
  // The original forms the quotient of the scales in float32.
  const float scale = scale_of(a) / (scale_of(b) * scale_of(output));
  const FixedFactor factor = to_fixed_factor(double{scale});
  const ActivationRange range = activation_range(op.activation, output);
  return of_raw_pairs(context, [&](int32_t x, int32_t y) {
    const int32_t dividend = x - zero_point_of(a), divisor = y - zero_point_of(b);
    if (divisor == 0 && dividend != 0) return dividend > 0 ? range.max : range.min;
    const int32_t scaled = divisor == 0 ? 0 : scaled_quotient(dividend, divisor, factor);
    return std::clamp(scaled + zero_point_of(output), range.min, range.max);
  });
}

RealValues real_of(const Div& op, const RealContext& c) {
  return clamped(op.activation, combined(c, [](float a, float b) { return a / b; }));
}

// A quotient may jump from one end to the other where the divisor changes its sign.
ValueRanges bounds_of(const Div& op, const BoundsContext& c) {
  if (c.output().type == DType::kInt32) return any_value(c.output());
  return within_activation(c, op.activation);
}

}  // namespace thimble::reference
