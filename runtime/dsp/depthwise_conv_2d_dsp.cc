// SPDX-License-Identifier: Apache-2.0
#include "depthwise_dsp.h"

namespace thimble::runtime {

void depthwise_conv_2d_dsp(const DepthwiseConv2DPackedParams& p, const View& x, const View& out,
                           const Region& region, int8_t* scratch) noexcept {
  for (int32_t axis = 0; axis < 4; ++axis) {
    if (region.begin[axis] == region.end[axis]) return;  // before anything is packed
  }
  DepthwiseConvolution(p, x, out, region, scratch, kDepthwiseBlocks<ReluTail>).run();
}

}  // namespace thimble::runtime
