// SPDX-License-Identifier: Apache-2.0
// Element by element, of two operands of different types.
#pragma once

#include "thimble_runtime/view.h"
#include "walk.h"

namespace thimble::runtime {

/// out = function(a, b).
template <class A, class B, class Out, class Function>
inline void map_unlike_pairs(const View& a, const View& b, const View& out, const Region& region,
                             Function function) noexcept {
  const int32_t count = region.end[3] - region.begin[3];
  if (count == 0) return;
  for_each_pixel(region, [&](int32_t n, int32_t y, int32_t x) {
    const A* from_a = first_channel<const A>(a, region, n, y, x);
    const B* from_b = first_channel<const B>(b, region, n, y, x);
    Out* to = first_channel<Out>(out, region, n, y, x);
    for (int32_t c = 0; c < count; ++c) {
      *to = function(*from_a, *from_b);
      from_a += a.stride[3];
      from_b += b.stride[3];
      to += out.stride[3];
    }
  });
}

}  // namespace thimble::runtime
