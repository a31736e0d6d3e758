// SPDX-License-Identifier: Apache-2.0
// Two operands at one scale, combined and requantised: add, sub, squared_difference.
#pragma once

#include "fixed_point.h"
#include "thimble_runtime/kernels.h"
#include "walk.h"

namespace thimble::runtime {

/// out = scaled(combine(scaled(a), scaled(b))), all of one type.
template <class T = int8_t, class Combine>
inline void map_scaled_pairs(const AddParams& p, const View& a, const View& b, const View& out,
                             const Region& region, Combine combine) noexcept {
  const AddParams q = p;  // a copy that stores of int8 cannot alias
  auto scaled = [&q](int32_t value, int32_t input) {
    const int32_t shifted = shift_left(value - q.zero_point[input], q.left_shift);
    return requantise(shifted, q.scale[input].multiplier, q.scale[input].shift);
  };
  map_pairs<T>(a, b, out, region, [&](int32_t x, int32_t y) {
    const int32_t result = combine(scaled(x, 0), scaled(y, 1));
    const int32_t value = requantise(result, q.output_scale.multiplier, q.output_scale.shift);
    return static_cast<T>(limit(value + q.output_zero_point, q.clamp_min, q.clamp_max));
  });
}

}  // namespace thimble::runtime
