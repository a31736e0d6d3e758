// SPDX-License-Identifier: Apache-2.0
#include "fixed_point.h"
#include "thimble_runtime/kernels.h"
#include "walk.h"

namespace thimble::runtime {

void fully_connected(const FullyConnectedParams& p, const View& x, const View& weights,
                     const View& out, const Region& region) noexcept {
  for_each_pixel(region, [&](int32_t n, int32_t y, int32_t column) {
    const auto* from = pixel<const int8_t>(x, n, y, column);
    auto* to = pixel<int8_t>(out, n, y, column);
    for (int32_t o = region.begin[3]; o < region.end[3]; ++o) {
      const auto* w = pixel<const int8_t>(weights, 0, 0, o);
      int32_t sum = p.bias[o];
      for (int32_t k = 0; k < p.in_channels; ++k) {
        sum += (from[k * x.stride[3]] - p.input_zero_point) *
               (w[k * weights.stride[3]] - p.weights_zero_point);
      }
      const int32_t scaled = requantise(sum, p.scales.multipliers[o], p.scales.shifts[o]);
      to[o * out.stride[3]] =
          static_cast<int8_t>(limit(scaled + p.output_zero_point, p.clamp_min, p.clamp_max));
    }
  });
}

}  // namespace thimble::runtime
