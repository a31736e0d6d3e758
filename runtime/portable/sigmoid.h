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

}  // namespace thimble::runtime
