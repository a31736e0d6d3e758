// SPDX-License-Identifier: Apache-2.0
#include "rescale.h"

namespace thimble::runtime {

void rescale_i16_i32(const RescaleParams& p, const View& x, const View& out,
                     const Region& region) noexcept {
  rescale<int16_t, int32_t>(p, x, out, region);
}

}  // namespace thimble::runtime
