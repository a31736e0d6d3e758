// SPDX-License-Identifier: Apache-2.0
#include "fixed_point.h"
#include "thimble_runtime/kernels.h"
#include "walk.h"

namespace thimble::runtime {

void conv_2d_finalise(const Conv2DParams& p, const View& accumulators, const View& out,
                      const Region& region) noexcept {
  for_each_pixel(region, [&](int32_t n, int32_t y, int32_t x) {
    const auto* from = pixel<const int32_t>(accumulators, n, y, x);
    auto* to = pixel<int8_t>(out, n, y, x);
    for (int32_t o = region.begin[3]; o < region.end[3]; ++o) {
      const int32_t sum = from[o * accumulators.stride[3]];
      const int32_t scaled = requantise(sum, p.scales.multipliers[o], p.scales.shifts[o]);
      to[o * out.stride[3]] =
          static_cast<int8_t>(limit(scaled + p.output_zero_point, p.clamp_min, p.clamp_max));
    }
  });
}

}  // namespace thimble::runtime
