// SPDX-License-Identifier: Apache-2.0
// From one quantisation to another; one file per pair of types, so that a model pays only for its
// own.
#pragma once

#include "fixed_point.h"
#include "thimble_runtime/kernels.h"
#include "walk.h"

namespace thimble::runtime {

template <class In, class Out>
inline void rescale(const RescaleParams& p, const View& x, const View& out,
                    const Region& region) noexcept {
  const RescaleParams q = p;  // a copy that stores of int8 cannot alias
  map_elements<In, Out>(x, out, region, [&q](In value) {
    const int32_t scaled =
        requantise(int32_t{value} - q.input_zero_point, q.scale.multiplier, q.scale.shift);
    return static_cast<Out>(limit(scaled + q.output_zero_point, q.clamp_min, q.clamp_max));
  });
}

}  // namespace thimble::runtime
