// SPDX-License-Identifier: Apache-2.0
#include "pool.h"
#include "thimble_runtime/kernels.h"

namespace thimble::runtime {

void max_pool_2d(const Pool2DParams& p, const View& x, const View& out,
                 const Region& region) noexcept {
  pool(
      p, x, out, region, -128, [](int32_t most, int32_t tap) { return tap > most ? tap : most; },
      [](int32_t most, int32_t) { return most; });
}

}  // namespace thimble::runtime
