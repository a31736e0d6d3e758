// SPDX-License-Identifier: Apache-2.0
// The loops that kernels share: pixels of a region, and element by element in row-major order.
#pragma once

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
  return pixel<T>(view, n, y, x) + region.begin[3] * view.stride[3];
}

/// out = function(x). Each element is read before it is written.
template <class In, class Out, class Function>
inline void map_elements(const View& x, const View& out, const Region& region,
                         Function function) noexcept {
  const int32_t count = region.end[3] - region.begin[3];
  const int32_t in_step = x.stride[3];
  const int32_t out_step = out.stride[3];
  for_each_pixel(region, [&](int32_t n, int32_t y, int32_t column) {
    const In* from = first_channel<const In>(x, region, n, y, column);
    Out* to = first_channel<Out>(out, region, n, y, column);
    for (int32_t c = 0; c < count; ++c, from += in_step, to += out_step) *to = function(*from);
  });
}

/// out = function(a, b), int8.
template <class Function>
inline void map_pairs(const View& a, const View& b, const View& out, const Region& region,
                      Function function) noexcept {
  const int32_t count = region.end[3] - region.begin[3];
  for_each_pixel(region, [&](int32_t n, int32_t y, int32_t x) {
    const int8_t* from_a = first_channel<const int8_t>(a, region, n, y, x);
    const int8_t* from_b = first_channel<const int8_t>(b, region, n, y, x);
    int8_t* to = first_channel<int8_t>(out, region, n, y, x);
    for (int32_t c = 0; c < count; ++c) {
      *to = function(*from_a, *from_b);
      from_a += a.stride[3];
      from_b += b.stride[3];
      to += out.stride[3];
    }
  });
}

}  // namespace thimble::runtime
