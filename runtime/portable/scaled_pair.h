// SPDX-License-Identifier: Apache-2.0
// Two operands at one scale, combined and requantised: add, sub, squared_difference.
#pragma once

#include "fixed_point.h"
#include "thimble_runtime/kernels.h"
#include "walk.h"

namespace thimble::runtime {

/// scaled(combine(scaled(a), scaled(b))), within the clamp.
template <class Combine>
inline int32_t scaled_pair(const AddParams& p, int32_t a, int32_t b, Combine combine) noexcept {
  auto scaled = [&p](int32_t value, int32_t input) {
    const int32_t shifted = shift_left(value - p.zero_point[input], p.left_shift);
    return requantise(shifted, p.scale[input].multiplier, p.scale[input].shift);
  };
  const int32_t result = combine(scaled(a, 0), scaled(b, 1));
  const int32_t value = requantise(result, p.output_scale.multiplier, p.output_scale.shift);
  return limit(value + p.output_zero_point, p.clamp_min, p.clamp_max);
}

/// scaled_pair of all elements, of one type.
template <class T = int8_t, class Combine>
inline void map_scaled_pairs(const AddParams& p, const View& a, const View& b, const View& out,
                             const Region& region, Combine combine) noexcept {
  const AddParams q = p;  // a copy that stores of int8 cannot alias
  map_pairs<T>(a, b, out, region,
               [&](int32_t x, int32_t y) { return static_cast<T>(scaled_pair(q, x, y, combine)); });
}

}  // namespace thimble::runtime
