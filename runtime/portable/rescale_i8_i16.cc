// SPDX-License-Identifier: Apache-2.0
#include "rescale.h"

namespace thimble::runtime {

void rescale_i8_i16(const RescaleParams& p, const View& x, const View& out,
                    const Region& region) noexcept {
  rescale<int8_t, int16_t>(p, x, out, region);
}

}  // namespace thimble::runtime
