// SPDX-License-Identifier: Apache-2.0
#include "fixed_point.h"
#include "thimble_runtime/kernels.h"
#include "window.h"

namespace thimble::runtime {
namespace {

// One output pixel's window.
struct Site {
  int32_t n;
  Taps rows, columns;
};

// Sums of four neighbouring output channels, whose inputs are `step` apart.
struct Quad {
  int32_t a, b, c, d;
};

void add_taps(Quad& sums, const int8_t* x, int32_t tap_step, int32_t step, const int8_t* w,
              int32_t pitch, int32_t count) noexcept {
  Quad s = sums;
  for (; count > 0; --count, x += tap_step, w += pitch) {
    s.a += x[0] * w[0];
    s.b += x[step] * w[1];
    s.c += x[2 * step] * w[2];
    s.d += x[3 * step] * w[3];
  }
  sums = s;
}

void add_taps(int32_t& sum, const int8_t* x, int32_t tap_step, int32_t, const int8_t* w,
              int32_t pitch, int32_t count) noexcept {
  int32_t s = sum;
  for (; count > 0; --count, x += tap_step, w += pitch) s += x[0] * w[0];
  sum = s;
}

// Adds the window's products; offset: of the first of the input channels in its pixel.
template <class Sums>
inline void add_window(Sums& sums, const DepthwiseConv2DParams& p, const View& x, const Site& site,
                       int32_t offset, const int8_t* w) noexcept {
  const Window2D& window = p.window;
  const int32_t pitch = p.out_channels;
  const int32_t step = p.multiplier == 1 ? x.stride[3] : 0;
  const auto padding = static_cast<int8_t>(p.input_zero_point);
  for (int32_t ky = 0; ky < window.kernel_h; ++ky) {
    const int32_t y = site.rows.origin + ky * window.dilation_h;
    const bool row_inside = inside(site.rows, ky);
    int32_t kx = 0;
    while (kx < window.kernel_w) {
      int32_t taps = row_inside ? run_end(site.columns, kx, window.kernel_w) - kx : window.kernel_w;
      if (row_inside && inside(site.columns, kx)) {
        if (x.modulus != 0) taps = 1;
        const int32_t column = site.columns.origin + kx * window.dilation_w;
        const int8_t* from = pixel<const int8_t>(x, site.n, y, column) + offset;
        add_taps(sums, from, x.stride[2] * window.dilation_w, step, w, pitch, taps);
      } else {
        add_taps(sums, &padding, 0, 0, w, pitch, taps);
      }
      w += taps * pitch;
      kx += taps;
    }
  }
}

void finish(const DepthwiseConv2DParams& p, const int32_t* sums, int32_t o, int32_t count,
            int8_t* to, int32_t step) noexcept {
  for (int32_t k = 0; k < count; ++k, to += step) {
    const int32_t scaled = requantise(sums[k], p.scales.multipliers[o + k], p.scales.shifts[o + k]);
    *to = static_cast<int8_t>(limit(scaled + p.output_zero_point, p.clamp_min, p.clamp_max));
  }
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
    int32_t sums[4];
    if (block == 4) {
      Quad quad{p.bias[o], p.bias[o + 1], p.bias[o + 2], p.bias[o + 3]};
      add_window(quad, p, x, site, offset, p.weights + o);
      sums[0] = quad.a;
      sums[1] = quad.b;
      sums[2] = quad.c;
      sums[3] = quad.d;
    } else {
      sums[0] = p.bias[o];
      add_window(sums[0], p, x, site, offset, p.weights + o);
    }
    finish(p, sums, o, block, to + o * step, step);
    o += block;
  }
}

}  // namespace

void depthwise_conv_2d(const DepthwiseConv2DParams& p, const View& x, const View& out,
                       const Region& region) noexcept {
  Site site{};
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
