// SPDX-License-Identifier: Apache-2.0
// Chunks of sums over some axes.
#pragma once

#include "thimble_runtime/kernels.h"
#include "walk.h"

namespace thimble::runtime {

template <class T>
static void accumulate_sums(const SumParams& p, const View& x, const View& sums,
                            const Region& region, int32_t begin, int32_t end) noexcept {
  if (begin == end) return;
  for_each_pixel(region, [&](int32_t n, int32_t y, int32_t column) {
    const int32_t at[3] = {n, y, column};
    auto* to = first_channel<int32_t>(sums, region, n, y, column);
    Region summed = region;
    for (int32_t axis = 0; axis < 3; ++axis) {
      summed.begin[axis] = p.reduced[axis] != 0 ? 0 : at[axis];
      summed.end[axis] = p.reduced[axis] != 0 ? p.in_extent[axis] : at[axis] + 1;
    }
    summed.begin[p.chunk_axis] = begin;
    summed.end[p.chunk_axis] = end;
    const int32_t channels = region.end[3] - region.begin[3];
    if (begin == 0) {
      for (int32_t c = 0; c < channels; ++c) to[c * sums.stride[3]] = 0;
    }
    for_each_pixel(summed, [&](int32_t in_n, int32_t in_y, int32_t in_column) {
      const auto* from = first_channel<const T>(x, region, in_n, in_y, in_column);
      auto* sum = to;
      for (int32_t c = 0; c < channels; ++c, from += x.stride[3], sum += sums.stride[3])
        *sum += *from;
    });
  });
}

}  // namespace thimble::runtime
