// SPDX-License-Identifier: Apache-2.0
#include "convolve_pixel.h"
#include "convolve_slice.h"
#include "thimble_runtime/kernels.h"

namespace thimble::runtime {
void conv_2d(const Conv2DParams& p, const View& x, const View& out, const Region& region) noexcept {
  if (region.end[3] - region.begin[3] <= kSliceChannels && x.modulus == 0 && out.modulus == 0) {
    if (!rows_join(p.window, x, out, region)) return convolve_slice(p, x, out, region);
    Conv2DParams joined = p;
    joined.window = join_rows(p.window);
    return convolve_slice(joined, x, out, join_rows(region, p.window.in_w));
  }
  ConvolutionSite site = convolution_site(p, x, 0, p.in_per_group);
  for (site.n = region.begin[0]; site.n < region.end[0]; ++site.n) {
    for (int32_t y = region.begin[1]; y < region.end[1]; ++y) {
      site.rows = rows_at(p.window, y);
      for (int32_t column = region.begin[2]; column < region.end[2]; ++column) {
        move_to_column(site, p, x, column);
        convolve_pixel<const int8_t*>(p, x, site, pixel<int8_t>(out, site.n, y, column),
                                      out.stride[3], region);
      }
    }
  }
}

}  // namespace thimble::runtime
