// SPDX-License-Identifier: Apache-2.0
#include "mean.h"

namespace thimble::runtime {

void mean_finalise(const MeanParams& p, const View& sums, const View& out,
                   const Region& region) noexcept {
  const int32_t count = count_of(p);
  map_elements<int32_t, int8_t>(sums, out, region,
                                [&](int32_t sum) { return mean_of(p, sum, count); });
}

}  // namespace thimble::runtime
