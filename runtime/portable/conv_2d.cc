// SPDX-License-Identifier: Apache-2.0
#include "convolve.h"
#include "fixed_point.h"
#include "thimble_runtime/kernels.h"

namespace thimble::runtime {
namespace {

// How many of the output channels [o, end) to compute together: four, unless their group ends.
int32_t block_size(const Conv2DParams& p, int32_t o, int32_t end, int32_t group) noexcept {
  const int32_t group_end = (group + 1) * p.out_per_group;
  return (group_end < end ? group_end : end) - o >= 4 ? 4 : 1;
}

void finish(const Conv2DParams& p, const int32_t* sums, int32_t o, int32_t count, int8_t* to,
            int32_t step) noexcept {
  for (int32_t k = 0; k < count; ++k, to += step) {
    const int32_t scaled = requantise(sums[k], p.scales.multipliers[o + k], p.scales.shifts[o + k]);
    *to = static_cast<int8_t>(limit(scaled + p.output_zero_point, p.clamp_min, p.clamp_max));
  }
}

// The region's output channels at one pixel.
void convolve_pixel(const Conv2DParams& p, const View& x, ConvolutionSite& site, int8_t* to,
                    int32_t step, const Region& region) noexcept {
  const int32_t pitch = p.window.kernel_h * p.window.kernel_w * p.in_per_group;
  int32_t o = region.begin[3];
  while (o < region.end[3]) {
    const int32_t group = o / p.out_per_group;
    const int32_t block = block_size(p, o, region.end[3], group);
    site.begin_channel = group * p.in_per_group;
    const int8_t* w = p.weights + o * pitch;
    int32_t sums[4];
    if (block == 4) {
      Quad quad{p.bias[o], p.bias[o + 1], p.bias[o + 2], p.bias[o + 3]};
      add_window(quad, p, x, site, w);
      sums[0] = quad.a;
      sums[1] = quad.b;
      sums[2] = quad.c;
      sums[3] = quad.d;
    } else {
      sums[0] = p.bias[o];
      add_window(sums[0], p, x, site, w);
    }
    finish(p, sums, o, block, to + o * step, step);
    o += block;
  }
}

}  // namespace

void conv_2d(const Conv2DParams& p, const View& x, const View& out, const Region& region) noexcept {
  ConvolutionSite site{};
  site.channels = p.in_per_group;
  for (site.n = region.begin[0]; site.n < region.end[0]; ++site.n) {
    for (int32_t y = region.begin[1]; y < region.end[1]; ++y) {
      site.rows = rows_at(p.window, y);
      for (int32_t column = region.begin[2]; column < region.end[2]; ++column) {
        site.columns = columns_at(p.window, column);
        convolve_pixel(p, x, site, pixel<int8_t>(out, site.n, y, column), out.stride[3], region);
      }
    }
  }
}

}  // namespace thimble::runtime
