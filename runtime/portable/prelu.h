// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fixed_point.h"
#include "thimble_runtime/kernels.h"
#include "walk.h"

namespace thimble::runtime {

template <class T>
inline void map_prelu(const PreluParams& p, const View& x, const View& alpha, const View& out,
                      const Region& region) noexcept {
  const PreluParams q = p;  // a copy that stores of int8 cannot alias
  map_pairs<T>(x, alpha, out, region, [&q](int32_t value, int32_t slope) {
    int32_t input = value - q.input_zero_point;
    const bool negative = input < 0;
    if (negative) input *= slope - q.alpha_zero_point;
    const Scale& scale = negative ? q.negative : q.positive;
    const int32_t scaled = requantise(input, scale.multiplier, scale.shift);
    return static_cast<T>(limit(scaled + q.output_zero_point, q.clamp_min, q.clamp_max));
  });
}

}  // namespace thimble::runtime
