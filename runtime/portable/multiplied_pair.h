// SPDX-License-Identifier: Apache-2.0
// Two operands multiplied and requantised.
#pragma once

#include "fixed_point.h"
#include "thimble_runtime/kernels.h"
#include "walk.h"

namespace thimble::runtime {

template <class T = int8_t>
inline void map_multiplied_pairs(const MulParams& p, const View& a, const View& b, const View& out,
                                 const Region& region) noexcept {
  const MulParams q = p;  // a copy that stores of int8 cannot alias
  map_pairs<T>(a, b, out, region, [&](int32_t x, int32_t y) {
    const int32_t product = (x - q.zero_point[0]) * (y - q.zero_point[1]);
    const int32_t value = requantise(product, q.output_scale.multiplier, q.output_scale.shift);
    return static_cast<T>(limit(value + q.output_zero_point, q.clamp_min, q.clamp_max));
  });
}

}  // namespace thimble::runtime
