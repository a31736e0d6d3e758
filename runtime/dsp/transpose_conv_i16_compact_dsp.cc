// SPDX-License-Identifier: Apache-2.0
#include "transpose_conv_i16_dsp.h"

namespace thimble::runtime {

void transpose_conv_i16_compact_dsp(const Conv2DWordsParams& p, const View& x, const View& out,
                                    const Region& region) noexcept {
  transpose_convolve_i16<CompactWords>(p, x, out, region);
}

}  // namespace thimble::runtime
