// SPDX-License-Identifier: Apache-2.0
#include "conv_2d_1x1_mve.h"
#include "fours_of_nibbles.h"

namespace thimble::runtime {

void conv_2d_1x1_nibbles_mve(const Conv2DFoursParams& p, const View& x, const View& out,
                             const Region& region) noexcept {
  convolve_single_taps<FoursOfNibbles>(p, x, out, region);
}

}  // namespace thimble::runtime
