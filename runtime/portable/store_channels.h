// SPDX-License-Identifier: Apache-2.0
// The end of a convolution: sums -> int8, one scale per channel.
#pragma once

#include "fixed_point.h"
#include "thimble_runtime/kernels.h"

namespace thimble::runtime {

/// Output channels [o, o + count) from their sums. Params: of any kernel with ChannelScales.
template <class Params>
inline void store_channels(const Params& p, const int32_t* sums, int32_t o, int32_t count,
                           int8_t* to, int32_t step) noexcept {
  const int32_t* multipliers = p.scales.multipliers + o;
  const int8_t* shifts = p.scales.shifts + o;
  const int32_t zero_point = p.output_zero_point;
  const int32_t low = p.clamp_min;
  const int32_t high = p.clamp_max;
  for (int32_t k = 0; k < count; ++k, to += step) {
    const int32_t scaled = requantise(sums[k], multipliers[k], shifts[k]);
    *to = static_cast<int8_t>(limit(scaled + zero_point, low, high));
  }
}

/// Channel o of `count` pixels; `to` and `step`: of their elements.
template <class Params>
inline void store_pixels(const Params& p, const int32_t* sums, int32_t o, int32_t count, int8_t* to,
                         int32_t step) noexcept {
  const int32_t multiplier = p.scales.multipliers[o];
  const int32_t shift = p.scales.shifts[o];
  const int32_t zero_point = p.output_zero_point;
  const int32_t low = p.clamp_min;
  const int32_t high = p.clamp_max;
  for (int32_t k = 0; k < count; ++k, to += step) {
    const int32_t scaled = requantise(sums[k], multiplier, shift);
    *to = static_cast<int8_t>(limit(scaled + zero_point, low, high));
  }
}

}  // namespace thimble::runtime
