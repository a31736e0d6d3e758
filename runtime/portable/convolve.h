// SPDX-License-Identifier: Apache-2.0
// The inner loops of a convolution: the window's products for one or four output channels at one
// output pixel. Four at a time, since they share every load of the input.
#pragma once

#include "thimble_runtime/kernels.h"
#include "window.h"

namespace thimble::runtime {

/// Sums of four neighbouring output channels.
struct Quad {
  int32_t a, b, c, d;
};

/// x[k] * w[k] for `count` elements; the x are `step` apart (0: one value for all, the padding).
/// pitch: from one output channel's weights to the next one's.
inline void add_products(Quad& sums, const int8_t* x, int32_t step, const int8_t* w, int32_t pitch,
                         int32_t count) noexcept {
  const int8_t* wb = w + pitch;
  const int8_t* wc = wb + pitch;
  const int8_t* wd = wc + pitch;
  Quad s = sums;
  for (int32_t k = 0; k < count; ++k, x += step) {
    const int32_t value = *x;
    s.a += value * w[k];
    s.b += value * wb[k];
    s.c += value * wc[k];
    s.d += value * wd[k];
  }
  sums = s;
}

inline void add_products(int32_t& sum, const int8_t* x, int32_t step, const int8_t* w, int32_t,
                         int32_t count) noexcept {
  int32_t s = sum;
  for (int32_t k = 0; k < count; ++k, x += step) s += *x * w[k];
  sum = s;
}

/// What the sums at one output pixel have in common.
struct ConvolutionSite {
  int32_t n;
  Taps rows, columns;
  int32_t begin_channel, channels;  ///< of the input
};

/// Adds the products of the whole window. w: of the first of the output channels, at begin_channel.
template <class Sums>
inline void add_window(Sums& sums, const Conv2DParams& p, const View& x,
                       const ConvolutionSite& site, const int8_t* w) noexcept {
  const Window2D& window = p.window;
  const int32_t tap_pitch = p.in_per_group;
  const int32_t pitch = window.kernel_h * window.kernel_w * tap_pitch;
  const auto padding = static_cast<int8_t>(p.input_zero_point);
  // Neighbouring taps are one run of memory, like their weights, if pixels have no other channels.
  const bool runs = x.modulus == 0 && x.stride[3] == 1 && site.channels == tap_pitch &&
                    x.stride[2] * window.dilation_w == tap_pitch;
  for (int32_t ky = 0; ky < window.kernel_h; ++ky) {
    const int32_t y = site.rows.origin + ky * window.dilation_h;
    const bool row_inside = inside(site.rows, ky);
    int32_t kx = 0;
    while (kx < window.kernel_w) {
      const int32_t taps = runs ? run_end(site.columns, kx, window.kernel_w) - kx : 1;
      if (row_inside && inside(site.columns, kx)) {
        const int32_t column = site.columns.origin + kx * window.dilation_w;
        const int8_t* from =
            pixel<const int8_t>(x, site.n, y, column) + site.begin_channel * x.stride[3];
        add_products(sums, from, x.stride[3], w, pitch, taps * site.channels);
      } else {
        add_products(sums, &padding, 0, w, pitch, taps * site.channels);
      }
      w += taps * tap_pitch;
      kx += taps;
    }
  }
}

}  // namespace thimble::runtime
