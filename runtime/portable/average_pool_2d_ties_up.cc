// SPDX-License-Identifier: Apache-2.0
#include "pool.h"
#include "thimble_runtime/kernels.h"

namespace thimble::runtime {

void average_pool_2d_ties_up(const Pool2DParams& p, const View& x, const View& out,
                             const Region& region) noexcept {
  pool<int8_t>(
      p, x, out, region, 0, [](int32_t sum, int32_t tap) { return sum + tap; },
      [](int32_t sum, int32_t count) { return (sum + 128 * count + count / 2) / count - 128; });
}

}  // namespace thimble::runtime
