// SPDX-License-Identifier: Apache-2.0
#include "accumulate_sums.h"

namespace thimble::runtime {

void sum_accumulate(const SumParams& p, const View& x, const View& sums, const Region& region,
                    int32_t begin, int32_t end) noexcept {
  accumulate_sums<int8_t>(p, x, sums, region, begin, end);
}

}  // namespace thimble::runtime
