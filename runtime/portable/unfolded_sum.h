// SPDX-License-Identifier: Apache-2.0
// The end of a convolution whose bias is as the model has it, in 64 bits.
#pragma once

#include "fixed_point.h"
#include "thimble_runtime/kernels.h"

namespace thimble::runtime {

inline int64_t unfolded_bias(const UnfoldedConv2DParams& p, int32_t o) noexcept {
  const auto low = static_cast<uint32_t>(p.bias[2 * o]);
  const auto high = static_cast<uint32_t>(p.bias[2 * o + 1]);
  return static_cast<int64_t>(uint64_t{high} << 32 | low);
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

/// The element of output channel o.
inline int32_t finished(const UnfoldedConv2DParams& p, int64_t sum, int32_t o) noexcept {
  const int32_t multiplier = p.scales.multipliers[o];
  const int32_t shift = p.scales.shifts[o];
  const int32_t scaled = p.rounds_once != 0
                             ? requantise_once(sum, multiplier, shift)
                             : requantise(static_cast<int32_t>(sum), multiplier, shift);
  return limit(scaled + p.output_zero_point, p.clamp_min, p.clamp_max);
}

}  // namespace thimble::runtime
