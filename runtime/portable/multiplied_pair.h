// SPDX-License-Identifier: Apache-2.0
// Two operands multiplied and requantised.
#pragma once

#include "fixed_point.h"
#include "thimble_runtime/kernels.h"
#include "walk.h"

namespace thimble::runtime {

inline int32_t multiplied_pair(const MulParams& p, int32_t a, int32_t b) noexcept {
  const int32_t product = (a - p.zero_point[0]) * (b - p.zero_point[1]);
  const int32_t value = requantise(product, p.output_scale.multiplier, p.output_scale.shift);
  return limit(value + p.output_zero_point, p.clamp_min, p.clamp_max);
}

template <class T = int8_t>
inline void map_multiplied_pairs(const MulParams& p, const View& a, const View& b, const View& out,
                                 const Region& region) noexcept {
  const MulParams q = p;  // a copy that stores of int8 cannot alias
  map_pairs<T>(a, b, out, region,
               [&](int32_t x, int32_t y) { return static_cast<T>(multiplied_pair(q, x, y)); });
}

}  // namespace thimble::runtime
