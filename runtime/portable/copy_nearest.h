// SPDX-License-Identifier: Apache-2.0
// Pixels by tables of rows and columns.
#pragma once

#include "copy_runs.h"
#include "thimble_runtime/kernels.h"

namespace thimble::runtime {

template <class T>
static void copy_nearest(const ResizeNearestNeighborParams& p, const View& x, const View& out,
                         const Region& region) noexcept {
  constexpr auto kSize = static_cast<int32_t>(sizeof(T));
  const int32_t channels = region.end[3] - region.begin[3];
  const bool words = run_axis(x, out, region, kSize) != 0 && channels * kSize >= kLeastRun;
  const EvenRuns run{channels * kSize, 1, 0, 0};
  for_each_pixel(region, [&](int32_t n, int32_t y, int32_t column) {
    const auto* from = first_channel<const T>(x, region, n, p.rows[y], p.columns[column]);
    auto* to = first_channel<T>(out, region, n, y, column);
    if (words) return copy_runs(from, to, run);
    for (int32_t c = 0; c < channels; ++c, from += x.stride[3], to += out.stride[3]) *to = *from;
  });
}

}  // namespace thimble::runtime
