// SPDX-License-Identifier: Apache-2.0
#include "nibble_weights.h"
#include "pixel_pairs.h"

namespace thimble::runtime {

void conv_2d_pairs_nibbles_dsp(const Conv2DPairsParams& p, const View& x, const View& out,
                               const Region& region, int8_t* scratch) noexcept {
  convolve_pairs<NibbleWeights>(p, x, out, region, scratch);
}

}  // namespace thimble::runtime
