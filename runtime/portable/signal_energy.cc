// SPDX-License-Identifier: Apache-2.0
#include "thimble_runtime/kernels.h"
#include "walk.h"

namespace thimble::runtime {

void signal_energy(const SignalEnergyParams& p, const View& x, const View& out,
                   const Region& region) noexcept {
  if (region.begin[3] == region.end[3]) return;
  for_each_pixel(region, [&](int32_t n, int32_t y, int32_t column) {
    const int16_t* from = pixel<const int16_t>(x, n, y, column) + 2 * region.begin[3] * x.stride[3];
    uint32_t* to = first_channel<uint32_t>(out, region, n, y, column);
    for (int32_t c = region.begin[3]; c < region.end[3]; ++c) {
      const int32_t re = from[0], im = from[x.stride[3]];
      const bool counts = c >= p.begin && c < p.end;
      *to = counts ? static_cast<uint32_t>(re * re) + static_cast<uint32_t>(im * im) : 0;
      from += 2 * x.stride[3];
      to += out.stride[3];
    }
  });
}

}  // namespace thimble::runtime
