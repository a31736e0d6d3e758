// SPDX-License-Identifier: Apache-2.0
// The loops of a pooling layer: every tap of the window that lies inside, for every output element.
#pragma once

#include "fixed_point.h"
#include "thimble_runtime/kernels.h"
#include "window.h"

namespace thimble::runtime {

/// out = finish(value, count) with value = join(value, tap) over the window's taps, from `start`
/// on.
template <class Join, class Finish>
inline void pool(const Pool2DParams& p, const View& x, const View& out, const Region& region,
                 int32_t start, Join join, Finish finish) noexcept {
  const Window2D& w = p.window;
  for (int32_t n = region.begin[0]; n < region.end[0]; ++n) {
    for (int32_t y = region.begin[1]; y < region.end[1]; ++y) {
      const Taps rows = rows_at(w, y);
      for (int32_t column = region.begin[2]; column < region.end[2]; ++column) {
        const Taps columns = columns_at(w, column);
        const int32_t count = (rows.end - rows.begin) * (columns.end - columns.begin);
        auto* to = pixel<int8_t>(out, n, y, column);
        for (int32_t c = region.begin[3]; c < region.end[3]; ++c) {
          int32_t value = start;
          for (int32_t ky = rows.begin; ky < rows.end; ++ky) {
            for (int32_t kx = columns.begin; kx < columns.end; ++kx) {
              const auto* from = pixel<const int8_t>(x, n, rows.origin + ky * w.dilation_h,
                                                     columns.origin + kx * w.dilation_w);
              value = join(value, int32_t{from[c * x.stride[3]]});
            }
          }
          to[c * out.stride[3]] =
              static_cast<int8_t>(limit(finish(value, count), p.clamp_min, p.clamp_max));
        }
      }
    }
  }
}

}  // namespace thimble::runtime
