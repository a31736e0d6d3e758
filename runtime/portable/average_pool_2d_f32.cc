// SPDX-License-Identifier: Apache-2.0
#include "float_pool.h"

namespace thimble::runtime {

void average_pool_2d_f32(const FloatPool2DParams& p, const View& x, const View& out,
                         const Region& region) noexcept {
  float_pool(
      p, x, out, region, 0, [](float sum, float tap) { return sum + tap; },
      [](float sum, float count) { return sum / count; });
}

}  // namespace thimble::runtime
