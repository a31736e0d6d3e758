// SPDX-License-Identifier: Apache-2.0
#include "depthwise_pixels.h"

namespace thimble::runtime {

void depthwise_conv_2d_to_even_dsp(const DepthwiseConv2DPackedParams& p, const View& x,
                                   const View& out, const Region& region,
                                   int8_t* scratch) noexcept {
  convolve_depthwise(p, x, out, region, scratch, kDepthwisePixelTail<ToEvenTail>);
}

}  // namespace thimble::runtime
