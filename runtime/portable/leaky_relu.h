// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fixed_point.h"
#include "thimble_runtime/kernels.h"
#include "walk.h"

namespace thimble::runtime {

template <class In, class Out>
inline void leaky_relu(const LeakyReluParams& p, const View& x, const View& out,
                       const Region& region) noexcept {
  const LeakyReluParams q = p;  // a copy that stores of int8 cannot alias
  map_elements<In, Out>(x, out, region, [&q](In value) {
    const int32_t input = int32_t{value} - q.input_zero_point;
    const Scale& scale = input >= 0 ? q.positive : q.negative;
    const int32_t scaled = requantise(input, scale.multiplier, scale.shift);
    return static_cast<Out>(limit(scaled + q.output_zero_point, q.clamp_min, q.clamp_max));
  });
}

}  // namespace thimble::runtime
