// SPDX-License-Identifier: Apache-2.0
// Sums kept in 16 or 8 bits: a chunk's products are summed in 32 bits, requantised, added and
// saturated. One file per width, so that a model pays only for its own.
#pragma once

#include "convolve.h"
#include "fixed_point.h"
#include "thimble_runtime/kernels.h"
#include "window.h"

namespace thimble::runtime {

/// (x - zero point) * weight for one tap and `count` channels, whose x are `step` apart; four
/// output channels share every load of x. w: of the first of them.
inline void add_differences(Quad& sums, const int8_t* x, int32_t step, int32_t zero_point,
                            const int8_t* w, int32_t pitch, int32_t count) noexcept {
  const int8_t* wb = w + pitch;
  const int8_t* wc = wb + pitch;
  const int8_t* wd = wc + pitch;
  for (int32_t k = 0; k < count; ++k, x += step) {
    const int32_t value = *x - zero_point;
    sums.a += value * w[k];
    sums.b += value * wb[k];
    sums.c += value * wc[k];
    sums.d += value * wd[k];
  }
}

inline void add_differences(int32_t& sum, const int8_t* x, int32_t step, int32_t zero_point,
                            const int8_t* w, int32_t, int32_t count) noexcept {
  for (int32_t k = 0; k < count; ++k, x += step) sum += (*x - zero_point) * w[k];
}

/// The chunk at one output pixel.
struct ChunkSite {
  int32_t n;
  Taps rows, columns;
  int32_t begin_channel, channels;
  int32_t pitch;  ///< from one output channel's weights to the next one's
};

/// Padding has the value of the zero point, so taps outside of the input add nothing. w: of the
/// first output channel, at begin_channel.
template <class Sums>
inline void add_chunk(Sums& sums, const Conv2DNarrowParams& p, const View& x, const ChunkSite& site,
                      const int8_t* w) noexcept {
  const Window2D& window = p.window;
  for (int32_t ky = site.rows.begin; ky < site.rows.end; ++ky) {
    for (int32_t kx = site.columns.begin; kx < site.columns.end; ++kx) {
      const int8_t* from = pixel<const int8_t>(x, site.n, site.rows.origin + ky * window.dilation_h,
                                               site.columns.origin + kx * window.dilation_w) +
                           site.begin_channel * x.stride[3];
      add_differences(sums, from, x.stride[3], p.input_zero_point,
                      w + (ky * window.kernel_w + kx) * p.in_channels, site.pitch, site.channels);
    }
  }
}

/// The accumulator of output channel o with a chunk's sum added. No intermediate value overflows.
template <class T>
inline T added(const Conv2DNarrowParams& p, T before, int32_t sum, int32_t o) noexcept {
  constexpr int32_t kHigh = (1 << (8 * sizeof(T) - 1)) - 1;
  const int32_t scaled = requantise(sum, p.scales.multipliers[o], p.scales.shifts[o]);
  return static_cast<T>(before + limit(scaled, -kHigh - 1 - before, kHigh - before));
}

/// The region's output channels at one pixel.
template <class T>
inline void accumulate_chunk(const Conv2DNarrowParams& p, const View& x, const ChunkSite& site,
                             T* to, int32_t step, const Region& region) noexcept {
  const bool first = site.begin_channel == 0;
  const auto start = static_cast<T>(p.accumulator_zero_point);
  int32_t o = region.begin[3];
  const int8_t* w = p.weights + o * site.pitch + site.begin_channel;
  to += o * step;
  for (; o + 4 <= region.end[3]; o += 4, w += 4 * site.pitch, to += 4 * step) {
    Quad sums{};
    if (first) sums = {p.bias[o], p.bias[o + 1], p.bias[o + 2], p.bias[o + 3]};
    add_chunk(sums, p, x, site, w);
    to[0] = added(p, first ? start : to[0], sums.a, o);
    to[step] = added(p, first ? start : to[step], sums.b, o + 1);
    to[2 * step] = added(p, first ? start : to[2 * step], sums.c, o + 2);
    to[3 * step] = added(p, first ? start : to[3 * step], sums.d, o + 3);
  }
  for (; o < region.end[3]; ++o, w += site.pitch, to += step) {
    int32_t sum = first ? p.bias[o] : 0;
    add_chunk(sum, p, x, site, w);
    *to = added(p, first ? start : *to, sum, o);
  }
}

template <class T>
inline void accumulate_narrow(const Conv2DNarrowParams& p, const View& x, const View& accumulators,
                              const Region& region, int32_t begin_channel,
                              int32_t end_channel) noexcept {
  ChunkSite site{};
  site.begin_channel = begin_channel;
  site.channels = end_channel - begin_channel;
  site.pitch = p.window.kernel_h * p.window.kernel_w * p.in_channels;
  for (site.n = region.begin[0]; site.n < region.end[0]; ++site.n) {
    for (int32_t y = region.begin[1]; y < region.end[1]; ++y) {
      site.rows = rows_at(p.window, y);
      for (int32_t column = region.begin[2]; column < region.end[2]; ++column) {
        site.columns = columns_at(p.window, column);
        accumulate_chunk(p, x, site, pixel<T>(accumulators, site.n, y, column),
                         accumulators.stride[3], region);
      }
    }
  }
}

}  // namespace thimble::runtime
