// SPDX-License-Identifier: Apache-2.0
// Functions of int16 between the steps of the table of 1 / (1 + e^-x), as TensorFlow Lite's
// reference kernels have them.
#pragma once

#include "thimble_runtime/kernels.h"
#include "walk.h"

namespace thimble::runtime {

/// The table, read at `at` steps of 1 << bits: its value times 1 << bits.
inline uint32_t between_steps(const SigmoidParams& p, uint32_t at, uint32_t bits,
                              uint32_t beyond) noexcept {
  const uint32_t step = at >> bits;
  if (step >= 255) return beyond;
  const uint32_t a = static_cast<uint16_t>(p.table[step]);
  const uint32_t b = static_cast<uint16_t>(p.table[step + 1]);
  return (a << bits) + (at & ((1U << bits) - 1)) * (b - a);
}

/// In 1/12288 of a unit.
inline int32_t scaled_argument(const SigmoidParams& p, int32_t value) noexcept {
  const int32_t round = p.shift > 0 ? 1 << (p.shift - 1) : 0;
  return (value * p.multiplier + round) >> p.shift;
}

inline uint32_t magnitude(int32_t value) noexcept {
  return value < 0 ? 0U - static_cast<uint32_t>(value) : static_cast<uint32_t>(value);
}

/// In 1/32768.
inline int16_t logistic_between(const SigmoidParams& p, int32_t value) noexcept {
  const int32_t at = scaled_argument(p, value);
  const uint32_t found = between_steps(p, magnitude(at), 9, 0x7FFFU << 10);
  const uint32_t result = at >= 0 ? found + (1U << 9) : (1U << 25) - found + (1U << 9) - 1;
  return static_cast<int16_t>(result >> 10);
}
inline int16_t tanh_between(const SigmoidParams& p, int32_t value) noexcept {
  const int32_t at = scaled_argument(p, value);
  const auto found = static_cast<int32_t>(between_steps(p, magnitude(at), 8, 0xFFFFU << 8));
  const int32_t half = 1 << 23;
  const int32_t result = at >= 0 ? found - half + (1 << 7) : half - found + (1 << 7) - 1;
  return static_cast<int16_t>(result >> 8);
}

}  // namespace thimble::runtime
