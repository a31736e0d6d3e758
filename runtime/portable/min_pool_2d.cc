// SPDX-License-Identifier: Apache-2.0
#include "pool.h"
#include "thimble_runtime/kernels.h"

namespace thimble::runtime {

void min_pool_2d(const Pool2DParams& p, const View& x, const View& out,
                 const Region& region) noexcept {
  min_pool<int8_t>(p, x, out, region);
}

}  // namespace thimble::runtime
