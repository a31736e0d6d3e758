// SPDX-License-Identifier: Apache-2.0
#include "transpose_conv.h"

namespace thimble::runtime {

void transpose_conv_i16(const UnfoldedConv2DParams& p, const View& x, const View& out,
                        const Region& region) noexcept {
  transpose_convolve<int16_t>(p, x, out, region);
}

}  // namespace thimble::runtime
