// SPDX-License-Identifier: Apache-2.0
// Requantisation in gemmlowp's arithmetic: a doubling high multiply that rounds, then a right shift
// that rounds half away from zero. Every product fits one SMULL or SMLAL.
#pragma once

#include <stdint.h>

#include "thimble_runtime/parameters.h"
#include "thimble_runtime/uses.h"
#include "times_float.h"

namespace thimble::runtime {

/// round(a * b / 2^31), half towards +infinity. Never for a = b = -2^31, the one pair that
/// saturates: multipliers are positive.
inline int32_t doubling_high_multiply(int32_t a, int32_t b) noexcept {
  return static_cast<int32_t>((static_cast<int64_t>(a) * b + (int64_t{1} << 30)) >> 31);
}

/// round(x / 2^exponent), half away from zero; exponent 1 to 31. Not for x = -2^31, nor for 2^31 -
/// 1 with exponent 1, which would overflow; doubling_high_multiply by a multiplier gives neither.
inline int32_t rounding_shift_right(int32_t x, int32_t exponent) noexcept {
  const int32_t towards_zero = x + (x >> 31);  // a tie below zero is one no more
  return ((towards_zero >> (exponent - 1)) + 1) >> 1;
}

/// x * 2^exponent as the reference computes it, without undefined overflow.
inline int32_t shift_left(int32_t x, int32_t exponent) noexcept {
  return static_cast<int32_t>(static_cast<uint32_t>(x) << exponent);
}

/// x times a scale (parameters.h); of a float scale within +-2^22.
inline int32_t requantise(int32_t x, int32_t multiplier, int32_t shift) noexcept {
  if (THIMBLE_USES_FLOAT_SCALES && shift == kFloatShift) return times_float(x, multiplier);
  const int32_t left = shift > 0 ? shift : 0;
  const int32_t product = doubling_high_multiply(shift_left(x, left), multiplier);
  return shift < 0 ? rounding_shift_right(product, -shift) : product;
}

/// round(sum * multiplier * 2^(shift - 31)), half up, of a multiplier rounded to 16 bits; shift
/// below 15. Wraps where 64 bits are too few.
inline int32_t requantise_once(int64_t sum, int32_t multiplier, int32_t shift) noexcept {
  const int32_t reduced = multiplier < 0x7FFF0000 ? (multiplier + (1 << 15)) >> 16 : 0x7FFF;
  const int32_t right = 15 - shift;
  const uint64_t product = static_cast<uint64_t>(sum) * static_cast<uint64_t>(int64_t{reduced});
  return static_cast<int32_t>(static_cast<int64_t>(product + (uint64_t{1} << (right - 1))) >>
                              right);
}

inline int32_t limit(int32_t x, int32_t low, int32_t high) noexcept {
  if (x < low) return low;
  return x > high ? high : x;
}

}  // namespace thimble::runtime
