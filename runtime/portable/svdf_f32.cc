// SPDX-License-Identifier: Apache-2.0
#include "thimble_runtime/kernels.h"
#include "thimble_runtime/real_functions.h"
#include "walk.h"

namespace thimble::runtime {

void svdf_f32(const FloatSvdfParams& p, const View& state, const View& weights, const View& out,
              const Region& region) noexcept {
  if (region.begin[3] == region.end[3]) return;  // before anything is read
  const FloatSvdfParams q = p;                   // a copy that stores cannot alias
  for_each_pixel(region, [&](int32_t n, int32_t batch, int32_t unit) {
    float sum = q.bias[unit];
    for (int32_t filter = unit * q.rank; filter < (unit + 1) * q.rank; ++filter) {
      const auto* values = pixel<const float>(state, n, batch, filter);
      const auto* factors = pixel<const float>(weights, 0, 0, filter);
      float of_filter = 0;
      for (int32_t time = 0; time < q.memory; ++time)
        of_filter += values[time * state.stride[3]] * factors[time * weights.stride[3]];
      sum += of_filter;
    }
    *first_channel<float>(out, region, n, batch, unit) =
        real::limited(sum, q.clamp_min, q.clamp_max);
  });
}

}  // namespace thimble::runtime
