// SPDX-License-Identifier: Apache-2.0
// Two operands of int8 as the numbers that they stand for, combined and rounded: add_to_even and
// its like.
#pragma once

#include "fixed_point.h"
#include "thimble_runtime/kernels.h"
#include "walk.h"

namespace thimble::runtime {

/// The int8 nearest to a number, clamped.
inline int8_t rounded_number(float number, float scale, int32_t zero_point, int32_t low,
                             int32_t high) noexcept {
  return static_cast<int8_t>(limit(to_whole(number / scale) + zero_point, low, high));
}

template <class Combine>
inline void map_number_pairs(const NumberPairParams& p, const View& a, const View& b,
                             const View& out, const Region& region, Combine combine) noexcept {
  const NumberPairParams q = p;  // a copy that stores of int8 cannot alias
  map_pairs<int8_t>(a, b, out, region, [&q, combine](int32_t x, int32_t y) {
    const float of_x = static_cast<float>(x - q.zero_point[0]) * q.scale[0];
    const float of_y = static_cast<float>(y - q.zero_point[1]) * q.scale[1];
    return rounded_number(combine(of_x, of_y), q.output_scale, q.output_zero_point, q.clamp_min,
                          q.clamp_max);
  });
}

}  // namespace thimble::runtime
