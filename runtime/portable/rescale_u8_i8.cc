// SPDX-License-Identifier: Apache-2.0
#include "rescale.h"

namespace thimble::runtime {

void rescale_u8_i8(const RescaleParams& p, const View& x, const View& out,
                   const Region& region) noexcept {
  rescale<uint8_t, int8_t>(p, x, out, region);
}

}  // namespace thimble::runtime
