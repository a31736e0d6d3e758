// SPDX-License-Identifier: Apache-2.0
#include "convolve_pixel.h"
#include "nibbles.h"
#include "thimble_runtime/kernels.h"

namespace thimble::runtime {

void conv_2d_nibbles(const Conv2DParams& p, const View& x, const View& out,
                     const Region& region) noexcept {
  ConvolutionSite site = convolution_site(p, x, 0, p.in_per_group);
  site.pitch += site.pitch % 2;  // each channel begins with a byte
  for (site.n = region.begin[0]; site.n < region.end[0]; ++site.n) {
    for (int32_t y = region.begin[1]; y < region.end[1]; ++y) {
      site.rows = rows_at(p.window, y);
      for (int32_t column = region.begin[2]; column < region.end[2]; ++column) {
        move_to_column(site, p, x, column);
        convolve_pixel<Nibbles>(p, x, site, pixel<int8_t>(out, site.n, y, column), out.stride[3],
                                region);
      }
    }
  }
}

}  // namespace thimble::runtime
