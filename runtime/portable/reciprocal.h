// SPDX-License-Identifier: Apache-2.0
// Reciprocals in fixed point, written Qm: m bits before the point, 31 - m after it.
#pragma once

#include "fixed_point.h"

namespace thimble::runtime {

constexpr int32_t kMaxInt32 = 0x7FFFFFFF;  ///< one, in Q0

/// x * 2^exponent, saturating.
inline int32_t saturating_shift_left(int32_t x, int32_t exponent) noexcept {
  const int32_t bound = kMaxInt32 >> exponent;
  if (x > bound) return kMaxInt32;
  return x < -bound ? -kMaxInt32 - 1 : shift_left(x, exponent);
}

/// 1 / (1 + x) in Q0 for x in [0, 1) in Q0: three steps of Newton's method.
inline int32_t reciprocal_of_one_plus(int32_t x) noexcept {
  constexpr int32_t k48Over17 = 1515870810;                                  // in Q2
  constexpr int32_t kMinus32Over17 = -1010580540;                            // in Q2
  constexpr int32_t kOne = 1 << 29;                                          // in Q2
  const auto half = static_cast<int32_t>((int64_t{x} + kMaxInt32 + 1) / 2);  // of the denominator
  int32_t y = k48Over17 + doubling_high_multiply(half, kMinus32Over17);
  for (int32_t step = 0; step < 3; ++step) {
    const int32_t error = kOne - doubling_high_multiply(half, y);
    y += saturating_shift_left(doubling_high_multiply(y, error), 2);
  }
  return saturating_shift_left(y, 1);
}

/// Leading zeros of x > 0.
inline int32_t leading_zeros(int32_t x) noexcept {
  return __builtin_clz(static_cast<unsigned int>(x));
}

}  // namespace thimble::runtime
