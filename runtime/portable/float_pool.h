// SPDX-License-Identifier: Apache-2.0
// The loops of a pooling layer of float32.
#pragma once

#include "thimble_runtime/kernels.h"
#include "thimble_runtime/real_functions.h"
#include "walk.h"
#include "window.h"

namespace thimble::runtime {

/// out = finish(value, count) with value = join(value, tap) over the window's taps, by rows, from
/// `start` on.
template <class Join, class Finish>
inline void float_pool(const FloatPool2DParams& p, const View& x, const View& out,
                       const Region& region, float start, Join join, Finish finish) noexcept {
  const Window2D& w = p.window;
  for_each_pixel(region, [&](int32_t n, int32_t y, int32_t column) {
    const Taps rows = rows_at(w, y), columns = columns_at(w, column);
    const auto count = static_cast<float>((rows.end - rows.begin) * (columns.end - columns.begin));
    auto* to = pixel<float>(out, n, y, column);
    for (int32_t c = region.begin[3]; c < region.end[3]; ++c) {
      float value = start;
      for (int32_t ky = rows.begin; ky < rows.end; ++ky) {
        for (int32_t kx = columns.begin; kx < columns.end; ++kx) {
          value =
              join(value, pixel<const float>(x, n, rows.origin + ky * w.dilation_h,
                                             columns.origin + kx * w.dilation_w)[c * x.stride[3]]);
        }
      }
      to[c * out.stride[3]] = real::limited(finish(value, count), p.clamp_min, p.clamp_max);
    }
  });
}

}  // namespace thimble::runtime
