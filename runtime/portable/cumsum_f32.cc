// SPDX-License-Identifier: Apache-2.0
#include "thimble_runtime/kernels.h"
#include "walk.h"

namespace thimble::runtime {

void cumsum_f32(const FloatCumSumParams& p, const View& x, const View& out,
                const Region& region) noexcept {
  if (region.begin[3] == region.end[3]) return;
  const FloatCumSumParams q = p;
  const int32_t step = q.reverse != 0 ? -1 : 1;
  const int32_t first = q.reverse != 0 ? q.channels - 1 : 0;
  for_each_pixel(region, [&](int32_t n, int32_t y, int32_t column) {
    const auto* from = pixel<const float>(x, n, y, column) + first * x.stride[3];
    auto* to = pixel<float>(out, n, y, column) + first * out.stride[3];
    float sum = 0;
    for (int32_t c = 0; c < q.channels; ++c) {
      const float next = sum + *from;
      *to = q.exclusive != 0 ? sum : next;
      sum = next;
      from += step * x.stride[3];
      to += step * out.stride[3];
    }
  });
}

}  // namespace thimble::runtime
