// SPDX-License-Identifier: Apache-2.0
#include "fixed_point.h"
#include "thimble_runtime/kernels.h"
#include "walk.h"

namespace thimble::runtime {

void clamp_i16(const ClampParams& p, const View& x, const View& out,
               const Region& region) noexcept {
  map_elements<int16_t, int16_t>(x, out, region, [&p](int32_t value) {
    return static_cast<int16_t>(limit(value, p.clamp_min, p.clamp_max));
  });
}

}  // namespace thimble::runtime
