// SPDX-License-Identifier: Apache-2.0
#include "svdf.h"

namespace thimble::runtime {

void svdf(const SvdfParams& p, const View& state, const View& weights, const View& out,
          const Region& region) noexcept {
  sum_over_time<int8_t>(p, state, weights, out, region);
}

}  // namespace thimble::runtime
