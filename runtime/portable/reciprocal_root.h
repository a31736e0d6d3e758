// SPDX-License-Identifier: Apache-2.0
// 1 / sqrt(x) in fixed point.
#pragma once

#include "reciprocal.h"
#include "thimble_runtime/parameters.h"

namespace thimble::runtime {

/// 1 / sqrt(x) by five steps of Newton's method, from 1: of x in [1/8, 1/2) in Q3.
inline int32_t reciprocal_root(int32_t x) noexcept {
  constexpr int32_t kThreeHalves = (1 << 28) + (1 << 27);  // in Q3
  constexpr int32_t kRootOfHalf = 1518500250;              // in Q0
  const int32_t half = rounding_shift_right(x, 1);
  int32_t y = 1 << 28;
  for (int32_t step = 0; step < 5; ++step) {
    const int32_t cube =
        saturating_shift_left(doubling_high_multiply(doubling_high_multiply(y, y), y), 6);
    y = saturating_shift_left(
        doubling_high_multiply(kThreeHalves, y) - doubling_high_multiply(half, cube), 3);
  }
  return doubling_high_multiply(y, kRootOfHalf);
}

/// 1 / sqrt(sum), with the shift of a Scale. Below 2 as of 1.
inline Scale one_over_root(int32_t sum) noexcept {
  if (sum <= 1) return {kMaxInt32, 0};
  int32_t shift = 11;
  for (; sum >= 1 << 29; sum /= 4) ++shift;
  const int32_t pairs = (leading_zeros(sum) - 1) / 2 - 1;
  shift -= pairs;
  const int32_t root = reciprocal_root(shift_left(sum, 2 * pairs) >> 1);
  return shift < 0 ? Scale{shift_left(root, -shift), 0} : Scale{root, -shift};
}

}  // namespace thimble::runtime
