// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "thimble_runtime/kernels.h"
#include "walk.h"

namespace thimble::runtime {

template <class In, class Out>
inline void dequantize(const FloatParams& p, const View& x, const View& out,
                       const Region& region) noexcept {
  const FloatParams q = p;
  map_elements<In, Out>(x, out, region, [&q](int32_t value) {
    return q.scale * static_cast<Out>(value - q.zero_point);
  });
}

}  // namespace thimble::runtime
