// SPDX-License-Identifier: Apache-2.0
// Elements inside a frame of one value; of a size, whatever they mean.
#pragma once

#include "thimble_runtime/kernels.h"
#include "walk.h"

namespace thimble::runtime {

template <class T>
inline void pad_elements(const PadParams& p, const View& x, const View& out,
                         const Region& region) noexcept {
  auto within = [&p](int32_t axis, int32_t index) {
    return index >= p.before[axis] && index - p.before[axis] < p.in_extent[axis];
  };
  for_each_pixel(region, [&](int32_t n, int32_t y, int32_t column) {
    const bool pixel_within = within(0, n) && within(1, y) && within(2, column);
    const T* from = nullptr;
    if (pixel_within) {
      from = pixel<const T>(x, n - p.before[0], y - p.before[1], column - p.before[2]);
    }
    auto* to = pixel<T>(out, n, y, column);
    for (int32_t c = region.begin[3]; c < region.end[3]; ++c) {
      to[c * out.stride[3]] = pixel_within && within(3, c) ? from[(c - p.before[3]) * x.stride[3]]
                                                           : static_cast<T>(p.value);
    }
  });
}

}  // namespace thimble::runtime
