// SPDX-License-Identifier: Apache-2.0
#include "fixed_point.h"
#include "thimble_runtime/kernels.h"
#include "walk.h"

namespace thimble::runtime {

void batch_matmul_i16(const BatchMatMulParams& p, const View& x, const View& y, const View& out,
                      const Region& region) noexcept {
  for_each_pixel(region, [&](int32_t n, int32_t h, int32_t m) {
    auto* to = first_channel<int16_t>(out, region, n, h, m);
    for (int32_t o = region.begin[3]; o < region.end[3]; ++o, to += out.stride[3]) {
      const auto* a = pixel<const int16_t>(x, n, h, m);
      const auto* b = pixel<const int16_t>(y, n, h, o);
      int64_t sum = 0;
      for (int32_t k = 0; k < p.depth; ++k, a += x.stride[3], b += y.stride[3])
        sum += int32_t{*a} * int32_t{*b};
      const int32_t scaled = requantise_once(sum, p.scale.multiplier, p.scale.shift);
      *to = static_cast<int16_t>(limit(scaled, -32768, 32767));
    }
  });
}

}  // namespace thimble::runtime
