// SPDX-License-Identifier: Apache-2.0
#include "float_pool.h"

namespace thimble::runtime {

void max_pool_2d_f32(const FloatPool2DParams& p, const View& x, const View& out,
                     const Region& region) noexcept {
  float_pool(
      p, x, out, region, -kLargestFloat,
      [](float most, float tap) { return tap > most ? tap : most; },
      [](float most, float) { return most; });
}

}  // namespace thimble::runtime
