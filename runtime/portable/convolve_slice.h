// SPDX-License-Identifier: Apache-2.0
// Convolution of one to three output channels, a slice. At one pixel so few channels share little,
// so four neighbouring pixels are computed at a time, which share every load of the weights.
// No rings.
#pragma once

#include "convolve.h"
#include "store_channels.h"
#include "tap_box.h"
#include "thimble_runtime/kernels.h"
#include "window.h"

namespace thimble::runtime {

constexpr int32_t kSliceChannels = 3;  // at most

/// The window's sums of output channel o at four neighbouring pixels without padding, of which the
/// site is the first. What is the input for four channels of one pixel is the weights here.
inline Quad sums_of_four(const Conv2DParams& p, const View& x, const ConvolutionSite& site,
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

/// The sum of (x - zero point) * weight at one pixel, where padding adds nothing.
inline int32_t sum_inside(const Conv2DParams& p, const View& x, const ConvolutionSite& site,
                          const int8_t* w) noexcept {
  const Window2D& window = p.window;
  const int32_t taps = site.runs ? site.columns.end - site.columns.begin : 1;
  const TapBox box{site.rows.end - site.rows.begin,  taps * site.channels,
                   x.stride[1] * window.dilation_h,  x.stride[3],
                   window.kernel_w * p.in_per_group, 1};
  if (box.rows == 0) return 0;
  w += site.rows.begin * box.weights_row_step;
  int32_t sum = 0;
  for (int32_t kx = site.columns.begin; kx < site.columns.end; kx += taps) {
    const int8_t* from =
        pixel<const int8_t>(x, site.n, site.rows.origin + site.rows.begin * window.dilation_h,
                            site.columns.origin + kx * window.dilation_w);
    sum += sum_of_differences(from + site.begin_channel * x.stride[3], p.input_zero_point,
                              w + kx * p.in_per_group, box);
  }
  return sum;
}

/// One channel of the slice.
struct SliceChannel {
  int32_t begin_channel;  ///< of the input
  int32_t bias;           ///< of the model: for sums of (x - zero point) * weight
};

/// At `count` pixels, one or four. All sums come before the first store, which may overwrite input.
inline void convolve_slice_at(const Conv2DParams& p, const View& x, ConvolutionSite& site,
                              const SliceChannel* channels, int32_t count, int8_t* to,
                              const View& out, const Region& region) noexcept {
  Quad sums[kSliceChannels];
  for (int32_t o = region.begin[3], k = 0; o < region.end[3]; ++o, ++k) {
    site.begin_channel = channels[k].begin_channel;
    if (count == 4) {
      sums[k] = sums_of_four(p, x, site, o);
    } else {
      sums[k].sum[0] = channels[k].bias + sum_inside(p, x, site, p.weights + o * site.pitch);
    }
  }
  for (int32_t o = region.begin[3], k = 0; o < region.end[3]; ++o, ++k) {
    store_pixels(p, sums[k].sum, o, count, to + o * out.stride[3], out.stride[2]);
  }
}

inline void convolve_slice(const Conv2DParams& p, const View& x, const View& out,
                           const Region& region) noexcept {
  ConvolutionSite site = convolution_site(p, x, 0, p.in_per_group);
  SliceChannel channels[kSliceChannels];
  for (int32_t o = region.begin[3], k = 0; o < region.end[3]; ++o, ++k) {
    const TapBox all{1, site.pitch, 0, 0, 0, 1};
    channels[k] = {
        o / p.out_per_group * p.in_per_group,
        p.bias[o] + p.input_zero_point * sum_of_weights(p.weights + o * site.pitch, all)};
  }
  const Outputs full = full_columns(p.window, region);
  for (site.n = region.begin[0]; site.n < region.end[0]; ++site.n) {
    for (int32_t y = region.begin[1]; y < region.end[1]; ++y) {
      site.rows = rows_at(p.window, y);
      const bool wide = x.stride[3] == 1 && site.rows.end - site.rows.begin == p.window.kernel_h;
      for (int32_t column = region.begin[2]; column < region.end[2];) {
        const bool four = wide && column >= full.begin && column + 4 <= full.end;
        site.columns = columns_at(p.window, column);
        convolve_slice_at(p, x, site, channels, four ? 4 : 1, pixel<int8_t>(out, site.n, y, column),
                          out, region);
        column += four ? 4 : 1;
      }
    }
  }
}

}  // namespace thimble::runtime
