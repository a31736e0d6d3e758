// SPDX-License-Identifier: Apache-2.0
// Elements along an axis where indices say; one file per element size.
#pragma once

#include "thimble_runtime/kernels.h"
#include "walk.h"

namespace thimble::runtime {

template <class T>
inline void gather(const GatherParams& p, const View& x, const View& indices, const View& out,
                   const Region& region) noexcept {
  const int32_t last = p.extent - 1;
  const int32_t channels = region.end[3] - region.begin[3];
  if (channels == 0) return;
  for_each_pixel(region, [&](int32_t n, int32_t y, int32_t column) {
    int32_t index = *pixel<const int32_t>(indices, n, y, column);
    if (index < 0) index = 0;
    if (index > last) index = last;
    const auto* from = first_channel<const T>(x, region, n, y, index);
    auto* to = first_channel<T>(out, region, n, y, column);
    for (int32_t c = 0; c < channels; ++c) to[c * out.stride[3]] = from[c * x.stride[3]];
  });
}

}  // namespace thimble::runtime
