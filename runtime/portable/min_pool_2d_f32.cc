// SPDX-License-Identifier: Apache-2.0
#include "float_pool.h"

namespace thimble::runtime {

void min_pool_2d_f32(const FloatPool2DParams& p, const View& x, const View& out,
                     const Region& region) noexcept {
  float_pool(
      p, x, out, region, kLargestFloat,
      [](float least, float tap) { return tap < least ? tap : least; },
      [](float least, float) { return least; });
}

}  // namespace thimble::runtime
