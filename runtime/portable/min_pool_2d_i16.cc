// SPDX-License-Identifier: Apache-2.0
#include "pool.h"
#include "thimble_runtime/kernels.h"

namespace thimble::runtime {

void min_pool_2d_i16(const Pool2DParams& p, const View& x, const View& out,
                     const Region& region) noexcept {
  min_pool<int16_t>(p, x, out, region);
}

}  // namespace thimble::runtime
