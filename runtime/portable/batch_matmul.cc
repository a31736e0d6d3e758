// SPDX-License-Identifier: Apache-2.0
#include "fixed_point.h"
#include "thimble_runtime/kernels.h"
#include "walk.h"

namespace thimble::runtime {
void batch_matmul(const BatchMatMulParams& p, const View& x, const View& y, const View& out,
                  const Region& region) noexcept {
  const BatchMatMulParams q = p;  // a copy that stores of int8 cannot alias
  const int32_t x_step = x.stride[3];
  const int32_t y_step = y.stride[3];
  for_each_pixel(region, [&](int32_t n, int32_t h, int32_t m) {
    const auto* row = pixel<const int8_t>(x, n, h, m);
    auto* to = pixel<int8_t>(out, n, h, m) + region.begin[3] * out.stride[3];
    for (int32_t o = region.begin[3]; o < region.end[3]; ++o, to += out.stride[3]) {
      const int8_t* a = row;
      const auto* b = pixel<const int8_t>(y, n, h, o);
      int32_t sum = 0;
      for (int32_t k = 0; k < q.depth; ++k, a += x_step, b += y_step)
        sum += (*a - q.zero_point[0]) * (*b - q.zero_point[1]);
      const int32_t scaled = requantise(sum, q.scale.multiplier, q.scale.shift);
      *to = static_cast<int8_t>(limit(scaled + q.output_zero_point, -128, 127));
    }
  });
}

}  // namespace thimble::runtime
