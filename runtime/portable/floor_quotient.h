// SPDX-License-Identifier: Apache-2.0
// Division of int32 that rounds down; by 0: 0.
#pragma once

#include <stdint.h>

namespace thimble::runtime {

/// What is left of x, with the sign of y.
inline int32_t floor_remainder(int32_t x, int32_t y) noexcept {
  if (y == 0 || y == -1) return 0;  // -2^31 / -1 does not fit
  const int32_t rest = x % y;
  return rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest;
}

/// Modulo 2^32.
inline int32_t floor_quotient(int32_t x, int32_t y) noexcept {
  if (y == 0) return 0;
  if (y == -1) return static_cast<int32_t>(0U - static_cast<uint32_t>(x));
  const int32_t towards_zero = x / y;
  return x % y != 0 && (x < 0) != (y < 0) ? towards_zero - 1 : towards_zero;
}

}  // namespace thimble::runtime
