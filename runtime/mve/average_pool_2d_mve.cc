// SPDX-License-Identifier: Apache-2.0
#include "../portable/pool.h"
#include "../portable/walk.h"
#include "box_sums.h"

namespace thimble::runtime {

void average_pool_2d_mve(const Pool2DParams& p, const View& x, const View& out,
                         const Region& region) noexcept {
  const Window2D& w = p.window;
  const int32_t begin = region.begin[3];
  const int32_t row_step = w.dilation_h * x.stride[1];
  const int32_t step = w.dilation_w * x.stride[2];
  for_each_pixel(region, [&](int32_t n, int32_t y, int32_t column) {
    const Taps rows = rows_at(w, y);
    const Taps columns = columns_at(w, column);
    auto* const to = pixel<int8_t>(out, n, y, column) + begin * out.stride[3];
    const auto* const from = pixel<const int8_t>(x, n, rows.origin + rows.begin * w.dilation_h,
                                                 columns.origin + columns.begin * w.dilation_w) +
                             begin;
    const int32_t width = columns.end - columns.begin;
    const int32_t count = (rows.end - rows.begin) * width;
    sum_channels({from, rows.end - rows.begin, width, row_step - width * step, step},
                 region.end[3] - begin, [&](int32_t c, int32_t sum) {
                   const int32_t average = average_of(sum, count);
                   to[c * out.stride[3]] =
                       static_cast<int8_t>(limit(average, p.clamp_min, p.clamp_max));
                 });
  });
}

}  // namespace thimble::runtime
