// SPDX-License-Identifier: Apache-2.0
#include "depthwise_dsp.h"

namespace thimble::runtime {

void depthwise_conv_2d_in_place_to_even_dsp(const DepthwiseConv2DPackedParams& p, const View& x,
                                            const View& out, const Region& region,
                                            int8_t* scratch) noexcept {
  convolve_depthwise_in_place(p, x, out, region, scratch, kDepthwiseTail<ToEvenTail>);
}

}  // namespace thimble::runtime
