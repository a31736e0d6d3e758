// SPDX-License-Identifier: Apache-2.0
// requantise() with a right shift in four instructions: the rounding of the shift goes with that of
// the product (fixed_point.h).
#pragma once

#include "simd32.h"
#include "thimble_runtime/parameters.h"

namespace thimble::runtime {

/// A scale that takes values times 2^(1 + left shift).
struct Rounded {
  int32_t multiplier, shift, constant;

  [[nodiscard]] int32_t of(int32_t twice) const noexcept {
    return add_rounded_high(twice, multiplier, constant + (twice >> 31)) >> shift;
  }
};

/// scale: positive, and shifts by 1 to 22 to the right. The zero point is added to what comes out.
inline Rounded rounded(const Scale& scale, int32_t zero_point) noexcept {
  const int32_t shift = -scale.shift;
  return {scale.multiplier, shift, (1 << (shift - 1)) + zero_point * (1 << shift)};
}

inline bool is_half(const Scale& scale) noexcept {
  return scale.shift == 0 && scale.multiplier == 1 << 30;
}

}  // namespace thimble::runtime
