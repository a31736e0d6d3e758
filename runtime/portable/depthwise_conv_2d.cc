// SPDX-License-Identifier: Apache-2.0
#include "depthwise_plane.h"
#include "quad.h"
#include "store_channels.h"
#include "thimble_runtime/kernels.h"
#include "window.h"

namespace thimble::runtime {
namespace {

// One output pixel's window.
struct Site {
  int32_t n;
  Taps rows, columns;
  bool clipped;           // some taps are padding
  bool broken;            // a ring wraps within a row of the window
  TapBox box;             // the taps inside
  int32_t channel_step;   // of the input, from one output channel to the next
  int32_t wrap_row;       // the row of the box before which a ring wraps
  int32_t modulus;        // of that ring
  const int8_t* first;    // channel 0 of the first tap inside; null if there is none
  int32_t first_weights;  // where its weights are
};

// Not inlined: the loops need all the registers of the smaller cores.
[[gnu::noinline]] void add_taps(Quad& sums, const int8_t* x, const int8_t* w,
                                const Site& site) noexcept {
  Quad s = sums;
  const TapBox& box = site.box;
  const int32_t step = site.channel_step;
  const int32_t tap_step = box.tap_step;
  const int32_t weights_tap_step = box.weights_tap_step;
  for (int32_t row = 0; row < box.rows; ++row) {
    if (row == site.wrap_row) x -= site.modulus;
    const int8_t* xt = x + row * box.row_step;
    const int8_t* wt = w + row * box.weights_row_step;
    if (step == 1) {  // the common case has a loop of its own: constant offsets
      for (int32_t k = box.columns; k > 0; --k, xt += tap_step, wt += weights_tap_step) {
        s.sum[0] += xt[0] * wt[0];
        s.sum[1] += xt[1] * wt[1];
        s.sum[2] += xt[2] * wt[2];
        s.sum[3] += xt[3] * wt[3];
      }
    } else {
      for (int32_t k = box.columns; k > 0; --k, xt += tap_step, wt += weights_tap_step) {
        s.sum[0] += xt[0] * wt[0];
        s.sum[1] += xt[step] * wt[1];
        s.sum[2] += xt[2 * step] * wt[2];
        s.sum[3] += xt[3 * step] * wt[3];
      }
    }
  }
  sums = s;
}

void add_taps(int32_t& sum, const int8_t* x, const int8_t* w, const Site& site) noexcept {
  int32_t s = sum;
  const TapBox& box = site.box;
  for (int32_t row = 0; row < box.rows; ++row) {
    if (row == site.wrap_row) x -= site.modulus;
    const int8_t* xt = x + row * box.row_step;
    const int8_t* wt = w + row * box.weights_row_step;
    for (int32_t k = box.columns; k > 0; --k, xt += box.tap_step, wt += box.weights_tap_step) {
      s += *xt * *wt;
    }
  }
  sum = s;
}

inline void add_weights(Quad& sums, int32_t x, const int8_t* w) noexcept {
  sums.sum[0] += x * w[0];
  sums.sum[1] += x * w[1];
  sums.sum[2] += x * w[2];
  sums.sum[3] += x * w[3];
}

inline void add_weights(int32_t& sum, int32_t x, const int8_t* w) noexcept { sum += x * w[0]; }

// The products of the taps that are padding.
template <class Sums>
inline void add_padding(Sums& sums, const DepthwiseConv2DParams& p, const Site& site,
                        const int8_t* w) noexcept {
  const int32_t pitch = p.out_channels;
  for (int32_t ky = 0; ky < p.window.kernel_h; ++ky, w += p.window.kernel_w * pitch) {
    const bool row_inside = inside(site.rows, ky);
    for (int32_t kx = 0; kx < p.window.kernel_w; ++kx) {
      if (row_inside && kx == site.columns.begin) kx = site.columns.end;
      if (kx < p.window.kernel_w) add_weights(sums, p.input_zero_point, w + kx * pitch);
    }
  }
}

// The products of a window that a ring breaks, tap by tap.
template <class Sums>
inline void add_broken_taps(Sums& sums, const DepthwiseConv2DParams& p, const View& x,
                            const Site& site, int32_t offset, const int8_t* w) noexcept {
  Site one = site;
  one.box.rows = 1;
  one.box.columns = 1;
  one.wrap_row = 1;
  for (int32_t ky = site.rows.begin; ky < site.rows.end; ++ky) {
    for (int32_t kx = site.columns.begin; kx < site.columns.end; ++kx) {
      const int8_t* from =
          pixel<const int8_t>(x, site.n, site.rows.origin + ky * p.window.dilation_h,
                              site.columns.origin + kx * p.window.dilation_w);
      add_taps(sums, from + offset, w + (ky * p.window.kernel_w + kx) * p.out_channels, one);
    }
  }
}

// Adds the window's products. offset: of the first of the input channels in its pixel; w: of the
// first of the output channels.
template <class Sums>
inline void add_window(Sums& sums, const DepthwiseConv2DParams& p, const View& x, const Site& site,
                       int32_t offset, const int8_t* w) noexcept {
  if (site.broken) {
    add_broken_taps(sums, p, x, site, offset, w);
  } else if (site.first != nullptr) {
    add_taps(sums, site.first + offset, w + site.first_weights, site);
  }
  if (site.clipped) add_padding(sums, p, site, w);
}

// The region's output channels at one pixel.
void convolve_pixel(const DepthwiseConv2DParams& p, const View& x, const Site& site, int8_t* to,
                    int32_t step, const Region& region) noexcept {
  int32_t o = region.begin[3];
  while (o < region.end[3]) {
    // Four at a time if their inputs lie evenly: one each, or one for all four.
    const int32_t channel = p.multiplier == 1 ? o : o / p.multiplier;
    const bool even = p.multiplier == 1 || (channel + 1) * p.multiplier - o >= 4;
    const int32_t block = even && region.end[3] - o >= 4 ? 4 : 1;
    const int32_t offset = channel * x.stride[3];
    Quad quad;
    if (block == 4) {
      quad = {p.bias[o], p.bias[o + 1], p.bias[o + 2], p.bias[o + 3]};
      add_window(quad, p, x, site, offset, p.weights + o);
    } else {
      quad.sum[0] = p.bias[o];
      add_window(quad.sum[0], p, x, site, offset, p.weights + o);
    }
    store_channels(p, quad.sum, o, block, to + o * step, step);
    o += block;
  }
}

// What does not depend on the pixel.
Site window_site(const DepthwiseConv2DParams& p, const View& x) noexcept {
  const Window2D& w = p.window;
  Site site{};
  site.box.row_step = x.stride[1] * w.dilation_h;
  site.box.tap_step = x.stride[2] * w.dilation_w;
  site.box.weights_row_step = w.kernel_w * p.out_channels;
  site.box.weights_tap_step = p.out_channels;
  site.channel_step = p.multiplier == 1 ? x.stride[3] : 0;
  site.modulus = x.modulus;
  return site;
}

// Where a ring wraps in the box of taps, of which the first is element `first` of the ring.
void find_wrap(Site& site, int32_t first) noexcept {
  const TapBox& box = site.box;
  const int32_t row = (box.columns - 1) * box.tap_step;  // from a row's first tap to its last
  const int32_t last = first + (box.rows - 1) * box.row_step + row;
  if (last < site.modulus) return;
  site.wrap_row = (site.modulus - first + box.row_step - 1) / box.row_step;
  site.broken =
      first + (site.wrap_row - 1) * box.row_step + row >= site.modulus || last >= 2 * site.modulus;
}

// site.n and site.rows are set.
void move_to_column(Site& site, const DepthwiseConv2DParams& p, const View& x,
                    int32_t out_x) noexcept {
  const Window2D& w = p.window;
  site.columns = columns_at(w, out_x);
  site.box.rows = site.rows.end - site.rows.begin;
  site.box.columns = site.columns.end - site.columns.begin;
  site.clipped = site.box.rows != w.kernel_h || site.box.columns != w.kernel_w;
  site.broken = false;
  site.wrap_row = site.box.rows;
  site.first = nullptr;
  if (site.box.rows == 0 || site.box.columns == 0) return;
  site.first = pixel<const int8_t>(x, site.n, site.rows.origin + site.rows.begin * w.dilation_h,
                                   site.columns.origin + site.columns.begin * w.dilation_w);
  site.first_weights = (site.rows.begin * w.kernel_w + site.columns.begin) * p.out_channels;
  if (x.modulus != 0) {
    find_wrap(site,
              static_cast<int32_t>(site.first - static_cast<const int8_t*>(x.data)) + x.channel);
  }
}

// A slice of one channel.
void convolve_channel(const DepthwiseConv2DParams& p, const View& x, const View& out,
                      const Region& region) noexcept {
  const int32_t channel = region.begin[3];
  Plane plane{plane_rows(p.window, region),
              plane_columns(p.window, region),
              channel,
              static_cast<const int8_t*>(x.data),
              0,
              p.weights + channel,
              nullptr,
              false};
  plane.outer.x_step = x.stride[1];
  plane.outer.weights_step = p.window.kernel_w * p.out_channels;
  plane.outer.out_step = out.stride[1];
  plane.inner.x_step = x.stride[2];
  plane.inner.weights_step = p.out_channels;
  plane.inner.out_step = out.stride[2];
  for (int32_t n = region.begin[0]; n < region.end[0]; ++n) {
    plane.x_at = n * x.stride[0] - x.bias + channel / p.multiplier * x.stride[3];
    plane.out = pixel<int8_t>(out, n, region.begin[1], region.begin[2]) + channel * out.stride[3];
    convolve_plane(p, plane);
  }
}

}  // namespace

void depthwise_conv_2d(const DepthwiseConv2DParams& p, const View& x, const View& out,
                       const Region& region) noexcept {
  if (region.end[3] - region.begin[3] == 1 && x.modulus == 0 && out.modulus == 0) {
    convolve_channel(p, x, out, region);
    return;
  }
  Site site = window_site(p, x);
  for (site.n = region.begin[0]; site.n < region.end[0]; ++site.n) {
    for (int32_t y = region.begin[1]; y < region.end[1]; ++y) {
      site.rows = rows_at(p.window, y);
      for (int32_t column = region.begin[2]; column < region.end[2]; ++column) {
        move_to_column(site, p, x, column);
        convolve_pixel(p, x, site, pixel<int8_t>(out, site.n, y, column), out.stride[3], region);
      }
    }
  }
}

}  // namespace thimble::runtime
