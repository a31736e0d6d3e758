// SPDX-License-Identifier: Apache-2.0
#include "convolve.h"
#include "store_channels.h"
#include "thimble_runtime/kernels.h"

namespace thimble::runtime {
namespace {

// The region's output channels at one pixel.
void convolve_pixel(const Conv2DParams& p, const View& x, ConvolutionSite& site, int8_t* to,
                    int32_t step, const Region& region) noexcept {
  int32_t o = region.begin[3];
  int32_t group = o / p.out_per_group;
  while (o < region.end[3]) {
    const int32_t group_end = (group + 1) * p.out_per_group;
    const int32_t end = group_end < region.end[3] ? group_end : region.end[3];
    site.begin_channel = group * p.in_per_group;
    const int8_t* w = p.weights + o * site.pitch;
    for (; o + 4 <= end; o += 4, w += 4 * site.pitch) {
      Quad quad{p.bias[o], p.bias[o + 1], p.bias[o + 2], p.bias[o + 3]};
      add_window(quad, p, x, site, w);
      const int32_t sums[4] = {quad.a, quad.b, quad.c, quad.d};
      store_channels(p, sums, o, 4, to + o * step, step);
    }
    for (; o < end; ++o, w += site.pitch) {
      int32_t sum = p.bias[o];
      add_window(sum, p, x, site, w);
      store_channels(p, &sum, o, 1, to + o * step, step);
    }
    ++group;
  }
}

// The window's sums of output channel o at four neighbouring pixels without padding, of which the
// site is the first. They share every load of the weights: what is the input for four channels of
// one pixel is the weights here.
Quad four_pixels(const Conv2DParams& p, const View& x, const ConvolutionSite& site,
                 int32_t o) noexcept {
  const Window2D& window = p.window;
  const int32_t pitch = x.stride[2] * window.stride_w;
  const int32_t taps = site.runs ? window.kernel_w : 1;
  const int8_t* w = p.weights + o * site.pitch;
  Quad sums{p.bias[o], p.bias[o], p.bias[o], p.bias[o]};
  for (int32_t ky = 0; ky < window.kernel_h; ++ky) {
    for (int32_t kx = 0; kx < window.kernel_w; kx += taps) {
      const int8_t* from = pixel<const int8_t>(x, site.n, site.rows.origin + ky * window.dilation_h,
                                               site.columns.origin + kx * window.dilation_w);
      add_products(sums, w, 1, from + site.begin_channel, pitch, taps * site.channels);
      w += taps * site.channels;
    }
  }
  return sums;
}

// The region's one to three output channels at four pixels. All sums come before the first store,
// which may overwrite input.
void convolve_four_pixels(const Conv2DParams& p, const View& x, ConvolutionSite& site, int8_t* to,
                          const View& out, const Region& region) noexcept {
  int32_t sums[3][4];
  for (int32_t o = region.begin[3], k = 0; o < region.end[3]; ++o, ++k) {
    site.begin_channel = o / p.out_per_group * p.in_per_group;
    const Quad quad = four_pixels(p, x, site, o);
    sums[k][0] = quad.a;
    sums[k][1] = quad.b;
    sums[k][2] = quad.c;
    sums[k][3] = quad.d;
  }
  for (int32_t o = region.begin[3], k = 0; o < region.end[3]; ++o, ++k) {
    store_pixels(p, sums[k], o, 4, to + o * out.stride[3], out.stride[2]);
  }
}

// The columns at which pixels are computed four at a time; none if the rows do not allow it.
Outputs wide_columns(const Conv2DParams& p, const View& x, const View& out, const Taps& rows,
                     const Region& region) noexcept {
  const bool narrow = region.end[3] - region.begin[3] < 4;
  if (!narrow || x.modulus != 0 || out.modulus != 0 || x.stride[3] != 1) return {0, 0};
  if (rows.end - rows.begin != p.window.kernel_h) return {0, 0};
  return full_columns(p.window, region);
}

}  // namespace

void conv_2d(const Conv2DParams& p, const View& x, const View& out, const Region& region) noexcept {
  ConvolutionSite site = convolution_site(p, x, 0, p.in_per_group);
  for (site.n = region.begin[0]; site.n < region.end[0]; ++site.n) {
    for (int32_t y = region.begin[1]; y < region.end[1]; ++y) {
      site.rows = rows_at(p.window, y);
      const Outputs wide = wide_columns(p, x, out, site.rows, region);
      for (int32_t column = region.begin[2]; column < region.end[2]; ++column) {
        auto* to = pixel<int8_t>(out, site.n, y, column);
        if (column >= wide.begin && column + 4 <= wide.end) {
          site.columns.origin = column * p.window.stride_w - p.window.pad_left;
          convolve_four_pixels(p, x, site, to, out, region);
          column += 3;
        } else {
          move_to_column(site, p, x, column);
          convolve_pixel(p, x, site, to, out.stride[3], region);
        }
      }
    }
  }
}

}  // namespace thimble::runtime
