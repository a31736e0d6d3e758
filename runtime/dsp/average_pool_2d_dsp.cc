// SPDX-License-Identifier: Apache-2.0
#include "box_sums.h"

namespace thimble::runtime {

void average_pool_2d_dsp(const Pool2DParams& p, const View& x, const View& out,
                         const Region& region) noexcept {
  average_boxes<sum_eight_in_halves>(p, x, out, region);
}

}  // namespace thimble::runtime
