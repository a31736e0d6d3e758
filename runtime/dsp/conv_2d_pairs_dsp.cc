// SPDX-License-Identifier: Apache-2.0
#include "pixel_pairs.h"
#include "wide_weights.h"

namespace thimble::runtime {

void conv_2d_pairs_dsp(const Conv2DPairsParams& p, const View& x, const View& out,
                       const Region& region, int8_t* scratch) noexcept {
  convolve_pairs<WideWeights>(p, x, out, region, scratch);
}

}  // namespace thimble::runtime
