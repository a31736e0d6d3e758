// SPDX-License-Identifier: Apache-2.0
#include "pool.h"
#include "walk.h"

namespace thimble::runtime {

void average_pool_2d_finalise_i16(const Pool2DParams& p, const View& sums, const View& out,
                                  const Region& region) noexcept {
  const int32_t count = p.window.in_h * p.window.in_w;
  map_elements<int32_t, int16_t>(sums, out, region, [&](int32_t sum) {
    return static_cast<int16_t>(limit(average_of(sum, count), p.clamp_min, p.clamp_max));
  });
}

}  // namespace thimble::runtime
