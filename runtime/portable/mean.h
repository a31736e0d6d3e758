// SPDX-License-Identifier: Apache-2.0
// From the sum of int8 values to their mean.
#pragma once

#include "fixed_point.h"
#include "thimble_runtime/kernels.h"

namespace thimble::runtime {

/// Elements in a mean.
inline int32_t count_of(const MeanParams& p) noexcept {
  int32_t count = 1;
  for (int32_t axis = 0; axis < 4; ++axis) {
    if (p.reduced[axis] != 0) count *= p.in_extent[axis];
  }
  return count;
}

inline int8_t mean_of(const MeanParams& p, int32_t sum, int32_t count) noexcept {
  const int32_t scaled =
      requantise(sum - p.input_zero_point * count, p.scale.multiplier, p.scale.shift);
  return static_cast<int8_t>(limit(scaled + p.output_zero_point, -128, 127));
}

}  // namespace thimble::runtime
