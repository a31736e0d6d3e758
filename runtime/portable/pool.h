// SPDX-License-Identifier: Apache-2.0
// The loops of a pooling layer: every tap of the window that lies inside, for every output element.
#pragma once

#include "fixed_point.h"
#include "thimble_runtime/kernels.h"
#include "window.h"

namespace thimble::runtime {

/// Rounded half away from zero.
inline int32_t average_of(int32_t sum, int32_t count) noexcept {
  const int32_t half = count / 2;
  return (sum > 0 ? sum + half : sum - half) / count;
}

/// One output pixel's window, and what joins its taps.
template <class Join>
struct PoolSite {
  int32_t n;
  Taps rows, columns;
  int32_t start;
  Join join;
};

/// values[k] = start, joined with the taps of channel c + k. Four channels at a time, since they
/// share the search for each tap.
template <class T, int32_t kChannels, class Join>
inline void join_taps(const Pool2DParams& p, const View& x, const PoolSite<Join>& site, int32_t c,
                      int32_t* values) noexcept {
  int32_t joined[unsigned{kChannels}];
#pragma GCC unroll 4
  for (int32_t k = 0; k < kChannels; ++k) joined[k] = site.start;
  const int32_t next = x.stride[3];
  const int32_t step = x.stride[2] * p.window.dilation_w;
  for (int32_t ky = site.rows.begin; ky < site.rows.end; ++ky) {
    const T* from = nullptr;
    for (int32_t kx = site.columns.begin; kx < site.columns.end; ++kx, from += step) {
      if (kx == site.columns.begin || x.modulus != 0) {
        from = pixel<const T>(x, site.n, site.rows.origin + ky * p.window.dilation_h,
                              site.columns.origin + kx * p.window.dilation_w) +
               c * next;
      }
#pragma GCC unroll 4
      for (int32_t k = 0; k < kChannels; ++k)
        joined[k] = site.join(joined[k], int32_t{from[k * next]});
    }
  }
#pragma GCC unroll 4
  for (int32_t k = 0; k < kChannels; ++k) values[k] = joined[k];
}

/// out = finish(value, count) with value = join(value, tap) over the window's taps, from `start`
/// on.
template <class T, class Join, class Finish>
inline void pool(const Pool2DParams& p, const View& x, const View& out, const Region& region,
                 int32_t start, Join join, Finish finish) noexcept {
  PoolSite<Join> site{0, {}, {}, start, join};
  for (site.n = region.begin[0]; site.n < region.end[0]; ++site.n) {
    for (int32_t y = region.begin[1]; y < region.end[1]; ++y) {
      site.rows = rows_at(p.window, y);
      for (int32_t column = region.begin[2]; column < region.end[2]; ++column) {
        site.columns = columns_at(p.window, column);
        const int32_t count =
            (site.rows.end - site.rows.begin) * (site.columns.end - site.columns.begin);
        auto* to = pixel<T>(out, site.n, y, column);
        for (int32_t c = region.begin[3]; c < region.end[3];) {
          int32_t values[4];
          const int32_t channels = region.end[3] - c >= 4 ? 4 : 1;
          if (channels == 4) {
            join_taps<T, 4>(p, x, site, c, values);
          } else {
            join_taps<T, 1>(p, x, site, c, values);
          }
          for (int32_t k = 0; k < channels; ++k, ++c) {
            to[c * out.stride[3]] =
                static_cast<T>(limit(finish(values[k], count), p.clamp_min, p.clamp_max));
          }
        }
      }
    }
  }
}

template <class T>
static void average_pool(const Pool2DParams& p, const View& x, const View& out,
                         const Region& region) noexcept {
  pool<T>(
      p, x, out, region, 0, [](int32_t sum, int32_t tap) { return sum + tap; }, average_of);
}

template <class T>
static void max_pool(const Pool2DParams& p, const View& x, const View& out,
                     const Region& region) noexcept {
  pool<T>(
      p, x, out, region, sizeof(T) == 1 ? -128 : -32768,
      [](int32_t most, int32_t tap) { return tap > most ? tap : most; },
      [](int32_t most, int32_t) { return most; });
}

template <class T>
static void min_pool(const Pool2DParams& p, const View& x, const View& out,
                     const Region& region) noexcept {
  pool<T>(
      p, x, out, region, sizeof(T) == 1 ? 127 : 32767,
      [](int32_t least, int32_t tap) { return tap < least ? tap : least; },
      [](int32_t least, int32_t) { return least; });
}

}  // namespace thimble::runtime
