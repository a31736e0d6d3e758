// SPDX-License-Identifier: Apache-2.0
#include "mean.h"

namespace thimble::runtime {

void mean(const MeanParams& p, const View& x, const View& out, const Region& region) noexcept {
  means<int8_t>(p, x, out, region);
}

}  // namespace thimble::runtime
