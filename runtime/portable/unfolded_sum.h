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
