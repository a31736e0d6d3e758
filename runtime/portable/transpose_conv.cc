// SPDX-License-Identifier: Apache-2.0
#include "transpose_conv.h"

namespace thimble::runtime {

void transpose_conv(const UnfoldedConv2DParams& p, const View& x, const View& out,
                    const Region& region) noexcept {
  transpose_convolve<int8_t>(p, x, out, region);
}

}  // namespace thimble::runtime
