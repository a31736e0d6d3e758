// SPDX-License-Identifier: Apache-2.0
// Where along the channels the largest (smallest) value stands first (last).
#pragma once

#include "thimble_runtime/kernels.h"
#include "walk.h"

namespace thimble::runtime {

template <class In, class Out>
inline void arg_max(const ArgMaxParams& p, const View& x, const View& out,
                    const Region& region) noexcept {
  if (region.begin[3] == region.end[3]) return;
  const ArgMaxParams q = p;
  for_each_pixel(region, [&](int32_t n, int32_t y, int32_t column) {
    const auto* from = pixel<const In>(x, n, y, column);
    In best = *from;
    Out index = 0;
    for (Out c = 1; c < q.channels; ++c) {
      from += x.stride[3];
      const bool better = q.least != 0 ? *from < best : *from > best;
      if (!better && (q.last == 0 || *from != best)) continue;
      best = *from;
      index = c;
    }
    *pixel<Out>(out, n, y, column) = index;
  });
}

}  // namespace thimble::runtime
