// SPDX-License-Identifier: Apache-2.0
#include "convolve_pixels.h"
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
  convolve_pixels(p, x, out, region, convolution_site(p, x, 0, p.in_per_group), p.weights);
}

}  // namespace thimble::runtime
