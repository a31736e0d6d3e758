// SPDX-License-Identifier: Apache-2.0
#include "thimble_runtime/kernels.h"
#include "walk.h"

namespace thimble::runtime {

void batch_matmul_f32(const FloatMatMulParams& p, const View& x, const View& y, const View& out,
                      const Region& region) noexcept {
  if (region.begin[3] == region.end[3]) return;  // before a row of x is found
  for_each_pixel(region, [&](int32_t n, int32_t h, int32_t m) {
    const auto* row = pixel<const float>(x, n, h, m);
    auto* to = pixel<float>(out, n, h, m);
    for (int32_t o = region.begin[3]; o < region.end[3]; ++o) {
      const auto* column = pixel<const float>(y, n, h, o);
      float sum = 0;
      for (int32_t k = 0; k < p.depth; ++k) sum += row[k * x.stride[3]] * column[k * y.stride[3]];
      to[o * out.stride[3]] = sum;
    }
  });
}

}  // namespace thimble::runtime
