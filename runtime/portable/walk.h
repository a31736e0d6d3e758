// SPDX-License-Identifier: Apache-2.0
// The loops that kernels share: pixels of a region, and element by element in row-major order.
#pragma once

#include "thimble_runtime/uses.h"
#include "thimble_runtime/view.h"

namespace thimble::runtime {

/// visit(n, y, x) for every pixel of the region, in row-major order.
template <class Visit>
inline void for_each_pixel(const Region& region, Visit visit) noexcept {
  for (int32_t n = region.begin[0]; n < region.end[0]; ++n) {
    for (int32_t y = region.begin[1]; y < region.end[1]; ++y) {
      for (int32_t x = region.begin[2]; x < region.end[2]; ++x) visit(n, y, x);
    }
  }
}

/// First element of the region's channels at a pixel.
template <class T>
inline T* first_channel(const View& view, const Region& region, int32_t n, int32_t y,
                        int32_t x) noexcept {
  const int32_t channel = region.begin[3] * view.stride[3];
  if (THIMBLE_USES_RINGS) return pixel<T>(view, n, y, x) + channel;
  return static_cast<T*>(view.data) + n * view.stride[0] + y * view.stride[1] + x * view.stride[2] -
         view.bias + channel;
}

/// Whether `channels` channels of each pixel of a row are one run of even steps in memory.
inline bool even_row(const View& view, int32_t channels) noexcept {
  return (!THIMBLE_USES_RINGS || view.modulus == 0) &&
         (channels == 1 || view.stride[2] == channels * view.stride[3]);
}

/// The step between two elements: of such a row if it is walked as one, else of a pixel.
inline int32_t element_step(const View& view, int32_t channels, bool even) noexcept {
  return even && channels == 1 ? view.stride[2] : view.stride[3];
}

/// The region with its rows as single pixels: their columns count as channels.
inline Region rows_as_pixels(Region region) noexcept {
  const int32_t columns = region.end[2] - region.begin[2];
  if (columns > 1) {
    region.end[2] = region.begin[2] + 1;
    region.end[3] = region.begin[3] + columns * (region.end[3] - region.begin[3]);
  }
  return region;
}

/// Elements that are walked together; steps are 1 where they are side by side.
template <class In, class Out>
struct MapRun {
  const In* from;
  Out* to;
  int32_t count, in_step, out_step;
};

/// visit(run) for every run of elements in row-major order: pixels, or rows whose elements lie
/// evenly.
template <class In, class Out, class Visit>
inline void map_runs(const View& x, const View& out, const Region& region, Visit visit) noexcept {
  const int32_t channels = region.end[3] - region.begin[3];
  const bool even = even_row(x, channels) && even_row(out, channels);
  const Region walked = even ? rows_as_pixels(region) : region;
  const int32_t count = walked.end[3] - walked.begin[3];
  const int32_t in_step = element_step(x, channels, even);
  const int32_t out_step = element_step(out, channels, even);
  for_each_pixel(walked, [&](int32_t n, int32_t y, int32_t column) {
    visit(MapRun<In, Out>{first_channel<const In>(x, walked, n, y, column),
                          first_channel<Out>(out, walked, n, y, column), count, in_step, out_step});
  });
}

/// out = function(x). Each element is read before it is written.
template <class In, class Out, class Function>
inline void map_elements(const View& x, const View& out, const Region& region,
                         Function function) noexcept {
  map_runs<In, Out>(x, out, region, [&](MapRun<In, Out> run) {
    for (; run.count > 0; --run.count, run.from += run.in_step, run.to += run.out_step)
      *run.to = function(*run.from);
  });
}

/// out = function(a, b), both of one type.
template <class T = int8_t, class Out = T, class Function>
inline void map_pairs(const View& a, const View& b, const View& out, const Region& region,
                      Function function) noexcept {
  const int32_t channels = region.end[3] - region.begin[3];
  const bool even = even_row(a, channels) && even_row(b, channels) && even_row(out, channels);
  const Region walked = even ? rows_as_pixels(region) : region;
  const int32_t count = walked.end[3] - walked.begin[3];
  const int32_t a_step = element_step(a, channels, even);
  const int32_t b_step = element_step(b, channels, even);
  const int32_t out_step = element_step(out, channels, even);
  for_each_pixel(walked, [&](int32_t n, int32_t y, int32_t x) {
    const T* from_a = first_channel<const T>(a, walked, n, y, x);
    const T* from_b = first_channel<const T>(b, walked, n, y, x);
    Out* to = first_channel<Out>(out, walked, n, y, x);
    for (int32_t c = 0; c < count; ++c) {
      *to = function(*from_a, *from_b);
      from_a += a_step;
      from_b += b_step;
      to += out_step;
    }
  });
}

}  // namespace thimble::runtime
