// SPDX-License-Identifier: Apache-2.0
// The newest column of the state of SVDF: every filter over the input.
#pragma once

#include "dot_product.h"
#include "fixed_point.h"
#include "thimble_runtime/kernels.h"
#include "walk.h"

namespace thimble::runtime {

template <class In, class Out>
inline void svdf_features(const SvdfFeaturesParams& p, const View& x, const View& out,
                          const Region& region) noexcept {
  if (region.begin[3] == region.end[3]) return;  // before anything is read
  const SvdfFeaturesParams q = p;                // a copy that stores of int8 cannot alias
  const int32_t most = sizeof(Out) == 1 ? 127 : 32767;
  for_each_pixel(region, [&](int32_t n, int32_t batch, int32_t filter) {
    const In* values = pixel<const In>(x, n, batch, 0);
    const uint32_t sum = add_products(0, values, x.stride[3], q.input_zero_point,
                                      q.weights + filter * q.depth, 1, q.depth);
    const int32_t scaled = requantise(static_cast<int32_t>(sum), q.scale.multiplier, q.scale.shift);
    *first_channel<Out>(out, region, n, batch, filter) =
        static_cast<Out>(limit(scaled, -most - 1, most) + q.output_zero_point);
  });
}

}  // namespace thimble::runtime
