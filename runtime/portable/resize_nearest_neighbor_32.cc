// SPDX-License-Identifier: Apache-2.0
#include "thimble_runtime/kernels.h"
#include "walk.h"

namespace thimble::runtime {

void resize_nearest_neighbor_32(const ResizeNearestNeighborParams& p, const View& x,
                                const View& out, const Region& region) noexcept {
  const int32_t channels = region.end[3] - region.begin[3];
  for_each_pixel(region, [&](int32_t n, int32_t y, int32_t column) {
    const auto* from = first_channel<const int32_t>(x, region, n, p.rows[y], p.columns[column]);
    auto* to = first_channel<int32_t>(out, region, n, y, column);
    for (int32_t c = 0; c < channels; ++c, from += x.stride[3], to += out.stride[3]) *to = *from;
  });
}

}  // namespace thimble::runtime
