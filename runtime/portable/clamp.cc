// SPDX-License-Identifier: Apache-2.0
#include "fixed_point.h"
#include "thimble_runtime/kernels.h"
#include "walk.h"

namespace thimble::runtime {

void clamp(const ClampParams& p, const View& x, const View& out, const Region& region) noexcept {
  const ClampParams q = p;  // a copy that stores of int8 cannot alias
  map_elements<int8_t, int8_t>(x, out, region, [&q](int32_t value) {
    return static_cast<int8_t>(limit(value, q.clamp_min, q.clamp_max));
  });
}

}  // namespace thimble::runtime
