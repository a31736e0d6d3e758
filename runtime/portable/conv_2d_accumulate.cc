// SPDX-License-Identifier: Apache-2.0
#include "convolve.h"
#include "thimble_runtime/kernels.h"

namespace thimble::runtime {
namespace {

// Adds the chunk's products to the region's accumulators at one pixel.
void accumulate_pixel(const Conv2DParams& p, const View& x, const ConvolutionSite& site,
                      int32_t* to, int32_t step, const Region& region) noexcept {
  const bool first = site.begin_channel == 0;
  int32_t o = region.begin[3];
  while (o < region.end[3]) {
    const int32_t block = region.end[3] - o >= 4 ? 4 : 1;
    const int8_t* w = p.weights + o * site.pitch + site.begin_channel;
    int32_t* at = to + o * step;
    const int32_t* start = first ? p.bias + o : at;
    const int32_t start_step = first ? 1 : step;
    if (block == 4) {
      Quad quad{start[0], start[start_step], start[2 * start_step], start[3 * start_step]};
      add_window(quad, p, x, site, w);
      at[0] = quad.a;
      at[step] = quad.b;
      at[2 * step] = quad.c;
      at[3 * step] = quad.d;
    } else {
      int32_t sum = start[0];
      add_window(sum, p, x, site, w);
      at[0] = sum;
    }
    o += block;
  }
}

}  // namespace

void conv_2d_accumulate(const Conv2DParams& p, const View& x, const View& accumulators,
                        const Region& region, int32_t begin_channel, int32_t end_channel) noexcept {
  ConvolutionSite site = convolution_site(p, x, begin_channel, end_channel - begin_channel);
  for (site.n = region.begin[0]; site.n < region.end[0]; ++site.n) {
    for (int32_t y = region.begin[1]; y < region.end[1]; ++y) {
      site.rows = rows_at(p.window, y);
      for (int32_t column = region.begin[2]; column < region.end[2]; ++column) {
        move_to_column(site, p, x, column);
        accumulate_pixel(p, x, site, pixel<int32_t>(accumulators, site.n, y, column),
                         accumulators.stride[3], region);
      }
    }
  }
}

}  // namespace thimble::runtime
