// SPDX-License-Identifier: Apache-2.0
// Arithmetic on loop counters in emitted code.
#pragma once

#include <stdint.h>

namespace thimble::runtime {

constexpr int32_t floor_div(int32_t a, int32_t b) noexcept {
  return a >= 0 ? a / b : -((-a + b - 1) / b);
}

/// value, cut to [low, high]: pieces that reach beyond the border of a tensor.
constexpr int32_t bounded(int32_t value, int32_t low, int32_t high) noexcept {
  return value < low ? low : value > high ? high : value;
}

}  // namespace thimble::runtime
