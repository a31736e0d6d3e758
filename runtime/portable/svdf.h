// SPDX-License-Identifier: Apache-2.0
// Sums of SVDF over the filters of a unit and their time.
#pragma once

#include "dot_product.h"
#include "fixed_point.h"
#include "thimble_runtime/kernels.h"
#include "walk.h"

namespace thimble::runtime {

/// T: of the state and of the weights.
template <class T>
inline void sum_over_time(const SvdfParams& p, const View& state, const View& weights,
                          const View& out, const Region& region) noexcept {
  if (region.begin[3] == region.end[3]) return;  // before anything is read
  const SvdfParams q = p;                        // a copy that stores of int8 cannot alias
  for_each_pixel(region, [&](int32_t n, int32_t batch, int32_t unit) {
    auto sum = static_cast<uint32_t>(q.bias[unit]);
    for (int32_t filter = unit * q.rank; filter < (unit + 1) * q.rank; ++filter) {
      sum = add_products(sum, pixel<const T>(state, n, batch, filter), state.stride[3],
                         q.state_zero_point, pixel<const T>(weights, 0, 0, filter),
                         weights.stride[3], q.memory);
    }
    const int32_t scaled = requantise(static_cast<int32_t>(sum), q.scale.multiplier, q.scale.shift);
    *first_channel<int8_t>(out, region, n, batch, unit) = static_cast<int8_t>(
        limit(scaled, -128 - q.output_zero_point, 127 - q.output_zero_point) + q.output_zero_point);
  });
}

}  // namespace thimble::runtime
