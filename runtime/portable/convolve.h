// SPDX-License-Identifier: Apache-2.0
// The inner loops of a convolution: the window's products for one or four output channels at one
// output pixel. Four at a time, since they share every load of the input.
#pragma once

#include "quad.h"
#include "thimble_runtime/kernels.h"
#include "window.h"

namespace thimble::runtime {

/// x[k] * w[k] for `count` elements; the x are `step` apart (0: one value for all, the padding).
/// pitch: from one output channel's weights to the next one's. Not inlined: the loop needs all the
/// registers of the smaller cores.
[[gnu::noinline]] inline void add_products(Quad& sums, const int8_t* x, int32_t step,
                                           const int8_t* w, int32_t pitch, int32_t count) noexcept {
  const int8_t* wb = w + pitch;
  const int8_t* wc = wb + pitch;
  const int8_t* wd = wc + pitch;
  Quad s = sums;
  if (step == 1) {  // the common case has a loop of its own: one increment less
    for (int32_t k = 0; k < count; ++k) {
      const int8_t value = x[k];
      s.sum[0] += value * w[k];
      s.sum[1] += value * wb[k];
      s.sum[2] += value * wc[k];
      s.sum[3] += value * wd[k];
    }
  } else {
    for (int32_t k = 0; k < count; ++k, x += step) {
      const int8_t value = *x;
      s.sum[0] += value * w[k];
      s.sum[1] += value * wb[k];
      s.sum[2] += value * wc[k];
      s.sum[3] += value * wd[k];
    }
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
  int32_t pitch;                    ///< from one output channel's weights to the next one's
  bool runs;                        ///< neighbouring taps are one run of memory, like their weights
  const int8_t* single;  ///< the only tap's channel 0, if there is one tap and it lies inside
};

inline ConvolutionSite convolution_site(const Conv2DParams& p, const View& x, int32_t begin_channel,
                                        int32_t channels) noexcept {
  ConvolutionSite site{};
  site.begin_channel = begin_channel;
  site.channels = channels;
  site.pitch = p.window.kernel_h * p.window.kernel_w * p.in_per_group;
  site.runs = x.stride[3] == 1 && channels == p.in_per_group &&
              x.stride[2] * p.window.dilation_w == channels;
  return site;
}

/// site.n and site.rows are set.
inline void move_to_column(ConvolutionSite& site, const Conv2DParams& p, const View& x,
                           int32_t out_x) noexcept {
  site.columns = columns_at(p.window, out_x);
  site.single = nullptr;
  if (site.pitch == p.in_per_group && inside(site.rows, 0) && inside(site.columns, 0)) {
    site.single = pixel<const int8_t>(x, site.n, site.rows.origin, site.columns.origin);
  }
}

/// How many of `taps` pixels side by side lie before a ring's end; `from` is the first of them.
inline int32_t taps_before_wrap(const View& x, const int8_t* from, int32_t taps,
                                int32_t tap_step) noexcept {
  const auto at = static_cast<int32_t>(from - static_cast<const int8_t*>(x.data)) + x.channel;
  if (at + (taps - 1) * tap_step < x.modulus) return taps;
  return (x.modulus - at + tap_step - 1) / tap_step;
}

/// Adds the products of the whole window. w: of the first of the output channels, at begin_channel,
/// a pointer or what moves on like one (nibbles.h).
template <class Sums, class Weights>
inline void add_window(Sums& sums, const Conv2DParams& p, const View& x,
                       const ConvolutionSite& site, Weights w) noexcept {
  const Window2D& window = p.window;
  const auto padding = static_cast<int8_t>(p.input_zero_point);
  int32_t ky = 0;
  int32_t kx = 0;
  do {
    int32_t taps = 1;
    int32_t step = x.stride[3];
    const int8_t* from = site.single;
    if (from == nullptr) {
      if (site.runs) taps = run_end(site.columns, kx, window.kernel_w) - kx;
      if (inside(site.rows, ky) && inside(site.columns, kx)) {
        from = pixel<const int8_t>(x, site.n, site.rows.origin + ky * window.dilation_h,
                                   site.columns.origin + kx * window.dilation_w);
        if (x.modulus != 0 && taps > 1) {
          taps = taps_before_wrap(x, from, taps, x.stride[2] * window.dilation_w);
        }
      }
    }
    if (from != nullptr) {
      from += site.begin_channel * step;
    } else {
      from = &padding;
      step = 0;
    }
    add_products(sums, from, step, w, site.pitch, taps * site.channels);
    w += taps * p.in_per_group;
    kx += taps;
    if (kx >= window.kernel_w) {
      kx = 0;
      ++ky;
    }
  } while (ky < window.kernel_h);
}

/// A 1 x 1 window without strides, over whole rows that follow one another in memory: all of them
/// are one long row.
inline bool rows_join(const Window2D& w, const View& x, const View& out,
                      const Region& region) noexcept {
  return w.kernel_h * w.kernel_w * w.stride_h * w.stride_w == 1 && w.pad_top == 0 &&
         w.pad_left == 0 && region.begin[2] == 0 && region.end[2] == w.in_w &&
         x.stride[1] == w.in_w * x.stride[2] && out.stride[1] == w.in_w * out.stride[2];
}

inline Window2D join_rows(Window2D w) noexcept {
  w.in_w *= w.in_h;
  w.in_h = 1;
  return w;
}

inline Region join_rows(Region region, int32_t width) noexcept {
  region.begin[2] = region.begin[1] * width;
  region.end[2] = region.end[1] * width;
  region.begin[1] = 0;
  region.end[1] = 1;
  return region;
}

}  // namespace thimble::runtime
