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
    sums.sum[0] += value * w[k];
    sums.sum[1] += value * wb[k];
    sums.sum[2] += value * wc[k];
    sums.sum[3] += value * wd[k];
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
  int32_t pitch;         ///< from one output channel's weights to the next one's
  const int8_t* single;  ///< the only tap's begin_channel, if there is one tap and it lies inside
};

/// Padding has the value of the zero point, so taps outside of the input add nothing. w: of the
/// first output channel, at begin_channel.
template <class Sums>
inline void add_chunk(Sums& sums, const Conv2DNarrowParams& p, const View& x, const ChunkSite& site,
                      const int8_t* w) noexcept {
  if (site.single != nullptr) {
    add_differences(sums, site.single, x.stride[3], p.input_zero_point, w, site.pitch,
                    site.channels);
    return;
  }
  const Window2D& window = p.window;
  const int32_t pixel_step = x.stride[2] * window.dilation_w;
  for (int32_t ky = site.rows.begin; ky < site.rows.end; ++ky) {
    const int32_t row = site.rows.origin + ky * window.dilation_h;
    const int32_t column = site.columns.origin + site.columns.begin * window.dilation_w;
    const int8_t* from = pixel<const int8_t>(x, site.n, row, column);
    const int8_t* weights = w + (ky * window.kernel_w + site.columns.begin) * p.in_channels;
    for (int32_t kx = site.columns.begin; kx < site.columns.end; ++kx) {
      if (x.modulus != 0) {
        from = pixel<const int8_t>(x, site.n, row, site.columns.origin + kx * window.dilation_w);
      }
      add_differences(sums, from + site.begin_channel * x.stride[3], x.stride[3],
                      p.input_zero_point, weights, site.pitch, site.channels);
      from += pixel_step;
      weights += p.in_channels;
    }
  }
}

/// Adds the chunk's sums of output channels [o, o + count) to their accumulators. No intermediate
/// value overflows. Not inlined: it needs all the registers of the smaller cores.
template <class T>
[[gnu::noinline]] inline void add_scaled(const ChannelScales& scales, const int32_t* sums,
                                         int32_t o, int32_t count, T* to, int32_t step) noexcept {
  constexpr int32_t kHigh = (1 << (8 * sizeof(T) - 1)) - 1;
  const int32_t* multipliers = scales.multipliers + o;
  const int8_t* shifts = scales.shifts + o;
  for (int32_t k = 0; k < count; ++k, to += step) {
    const int32_t before = *to;
    const int32_t scaled = requantise(sums[k], multipliers[k], shifts[k]);
    *to = static_cast<T>(before + limit(scaled, -kHigh - 1 - before, kHigh - before));
  }
}

/// The region's output channels at one pixel.
template <class T>
inline void accumulate_chunk(const Conv2DNarrowParams& p, const View& x, const ChunkSite& site,
                             T* to, int32_t step, const Region& region) noexcept {
  const bool first = site.begin_channel == 0;
  int32_t o = region.begin[3];
  const int8_t* w = p.weights + o * site.pitch + site.begin_channel;
  to += o * step;
  const int32_t end = region.end[3];
  while (o < end) {
    const int32_t count = end - o >= 4 ? 4 : 1;
    Quad sums{};
    if (first) {
      for (int32_t k = 0; k < count; ++k) {
        sums.sum[k] = p.bias[o + k];
        to[k * step] = static_cast<T>(p.accumulator_zero_point);
      }
    }
    if (count == 4) {
      add_chunk(sums, p, x, site, w);
    } else {
      add_chunk(sums.sum[0], p, x, site, w);
    }
    add_scaled(p.scales, sums.sum, o, count, to, step);
    o += count;
    w += count * site.pitch;
    to += count * step;
  }
}

template <class T>
inline void accumulate_narrow(const Conv2DNarrowParams& p, const View& x, const View& accumulators,
                              const Region& region, int32_t begin_channel,
                              int32_t end_channel) noexcept {
  ChunkSite site{};
  site.begin_channel = begin_channel;
  site.channels = end_channel - begin_channel;
  if (site.channels == 0) return;
  site.pitch = p.window.kernel_h * p.window.kernel_w * p.in_channels;
  for (site.n = region.begin[0]; site.n < region.end[0]; ++site.n) {
    for (int32_t y = region.begin[1]; y < region.end[1]; ++y) {
      site.rows = rows_at(p.window, y);
      const bool single = site.pitch == p.in_channels && inside(site.rows, 0);
      for (int32_t column = region.begin[2]; column < region.end[2]; ++column) {
        site.columns = columns_at(p.window, column);
        site.single = nullptr;
        if (single && inside(site.columns, 0)) {
          site.single = pixel<const int8_t>(x, site.n, site.rows.origin, site.columns.origin) +
                        begin_channel * x.stride[3];
        }
        accumulate_chunk(p, x, site, pixel<T>(accumulators, site.n, y, column),
                         accumulators.stride[3], region);
      }
    }
  }
}

}  // namespace thimble::runtime
