// SPDX-License-Identifier: Apache-2.0
#include "pool.h"
#include "thimble_runtime/kernels.h"

namespace thimble::runtime {

void average_pool_2d(const Pool2DParams& p, const View& x, const View& out,
                     const Region& region) noexcept {
  pool(
      p, x, out, region, 0, [](int32_t sum, int32_t tap) { return sum + tap; }, average_of);
}

}  // namespace thimble::runtime
