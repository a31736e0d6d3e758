// SPDX-License-Identifier: Apache-2.0
#include "reciprocal.h"
#include "thimble_runtime/kernels.h"
#include "walk.h"

namespace thimble::runtime {

namespace {

/// Over zero as over nothing: a quotient beyond all others.
int32_t over_zero(const MulParams& p, int32_t dividend) noexcept {
  if (dividend == 0) return p.output_zero_point;
  return dividend > 0 ? p.clamp_max : p.clamp_min;
}

int32_t quotient(const MulParams& p, int32_t dividend, int32_t divisor) noexcept {
  if (divisor < 0) {
    dividend = -dividend;
    divisor = -divisor;
  }
  const int32_t zeros = leading_zeros(divisor);
  const int32_t reciprocal = reciprocal_of_one_plus(
      static_cast<int32_t>((static_cast<uint32_t>(divisor) << zeros) - (uint32_t{1} << 31)));
  // Neither the dividend nor its complement has a bit in so many places below the sign.
  const int32_t bits = dividend < 0 ? ~dividend : dividend;
  const int32_t headroom = bits == 0 ? 31 : leading_zeros(bits) - 1;
  const int32_t unscaled = doubling_high_multiply(shift_left(dividend, headroom), reciprocal);
  const int32_t right = 31 - zeros + headroom - p.output_scale.shift;
  if (right > 31) return p.output_zero_point;  // less than a half
  return requantise(unscaled, p.output_scale.multiplier, -right) + p.output_zero_point;
}

}  // namespace

void div(const MulParams& p, const View& a, const View& b, const View& out,
         const Region& region) noexcept {
  const MulParams q = p;  // a copy that stores of int8 cannot alias
  map_pairs(a, b, out, region, [&](int32_t x, int32_t y) {
    const int32_t dividend = x - q.zero_point[0], divisor = y - q.zero_point[1];
    const int32_t value = divisor == 0 ? over_zero(q, dividend) : quotient(q, dividend, divisor);
    return static_cast<int8_t>(limit(value, q.clamp_min, q.clamp_max));
  });
}

}  // namespace thimble::runtime
