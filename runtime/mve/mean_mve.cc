// SPDX-License-Identifier: Apache-2.0
#include "../portable/mean.h"
#include "../portable/walk.h"
#include "box_sums.h"

namespace thimble::runtime {

void mean_mve(const MeanParams& p, const View& x, const View& out, const Region& region) noexcept {
  const int32_t count = count_of(p);
  const int32_t rows = p.reduced[1] != 0 ? p.in_extent[1] : 1;
  const int32_t columns = p.reduced[2] != 0 ? p.in_extent[2] : 1;
  const int32_t begin = region.begin[3];
  for_each_pixel(region, [&](int32_t n, int32_t y, int32_t column) {
    auto* const to = pixel<int8_t>(out, n, y, column) + begin * out.stride[3];
    const auto* const from =
        pixel<const int8_t>(x, n, rows > 1 ? 0 : y, columns > 1 ? 0 : column) + begin;
    sum_channels({from, rows, columns, x.stride[1] - columns * x.stride[2], x.stride[2]},
                 region.end[3] - begin,
                 [&](int32_t c, int32_t sum) { to[c * out.stride[3]] = mean_of(p, sum, count); });
  });
}

}  // namespace thimble::runtime
