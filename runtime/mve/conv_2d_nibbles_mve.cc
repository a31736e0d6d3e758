// SPDX-License-Identifier: Apache-2.0
#include "conv_2d_mve.h"
#include "fours_of_nibbles.h"

namespace thimble::runtime {

void conv_2d_nibbles_mve(const Conv2DFoursParams& p, const View& x, const View& out,
                         const Region& region, int8_t* scratch) noexcept {
  convolve_windows<FoursOfNibbles>(p, x, out, region, scratch);
}

}  // namespace thimble::runtime
