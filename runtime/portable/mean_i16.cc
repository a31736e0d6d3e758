// SPDX-License-Identifier: Apache-2.0
#include "mean.h"

namespace thimble::runtime {

void mean_i16(const MeanParams& p, const View& x, const View& out, const Region& region) noexcept {
  means<int16_t>(p, x, out, region);
}

}  // namespace thimble::runtime
