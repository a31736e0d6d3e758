// SPDX-License-Identifier: Apache-2.0
#include "thimble_runtime/kernels.h"
#include "walk.h"

namespace thimble::runtime {

void mean_f32(const FloatMeanParams& p, const View& x, const View& out,
              const Region& region) noexcept {
  Region summed{};
  for (int32_t axis = 0; axis < 4; ++axis) {
    if (p.reduced[axis] != 0) summed.end[axis] = p.in_extent[axis];
  }
  const auto hold = [&](int32_t axis, int32_t index) {
    if (p.reduced[axis] != 0) return;
    summed.begin[axis] = index;
    summed.end[axis] = index + 1;
  };
  for_each_pixel(region, [&](int32_t n, int32_t y, int32_t column) {
    hold(0, n);
    hold(1, y);
    hold(2, column);
    auto* to = pixel<float>(out, n, y, column);
    for (int32_t c = region.begin[3]; c < region.end[3]; ++c) {
      hold(3, c);
      float sum = 0;
      for_each_pixel(summed, [&](int32_t n_in, int32_t y_in, int32_t x_in) {
        const auto* from = pixel<const float>(x, n_in, y_in, x_in);
        for (int32_t k = summed.begin[3]; k < summed.end[3]; ++k) sum += from[k * x.stride[3]];
      });
      to[c * out.stride[3]] = sum / p.divisor;
    }
  });
}

}  // namespace thimble::runtime
