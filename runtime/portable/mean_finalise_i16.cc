// SPDX-License-Identifier: Apache-2.0
#include "mean.h"

namespace thimble::runtime {

void mean_finalise_i16(const MeanParams& p, const View& sums, const View& out,
                       const Region& region) noexcept {
  const int32_t count = count_of(p);
  map_elements<int32_t, int16_t>(sums, out, region,
                                 [&](int32_t sum) { return mean_of<int16_t>(p, sum, count); });
}

}  // namespace thimble::runtime
