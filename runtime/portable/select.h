// SPDX-License-Identifier: Apache-2.0
// One of two operands, element by element; one file per element size.
#pragma once

#include "thimble_runtime/kernels.h"
#include "walk.h"

namespace thimble::runtime {

template <class T>
inline void select(const View& condition, const View& x, const View& y, const View& out,
                   const Region& region) noexcept {
  const int32_t channels = region.end[3] - region.begin[3];
  for_each_pixel(region, [&](int32_t n, int32_t row, int32_t column) {
    const auto* holds = first_channel<const uint8_t>(condition, region, n, row, column);
    const auto* from_x = first_channel<const T>(x, region, n, row, column);
    const auto* from_y = first_channel<const T>(y, region, n, row, column);
    auto* to = first_channel<T>(out, region, n, row, column);
    for (int32_t c = 0; c < channels; ++c) {
      *to = *holds != 0 ? *from_x : *from_y;
      holds += condition.stride[3];
      from_x += x.stride[3];
      from_y += y.stride[3];
      to += out.stride[3];
    }
  });
}

}  // namespace thimble::runtime
