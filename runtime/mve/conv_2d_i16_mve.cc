// SPDX-License-Identifier: Apache-2.0
#include "../dsp/conv_2d_i16_dsp.h"
#include "row_runs.h"

namespace thimble::runtime {

void conv_2d_i16_mve(const Conv2DWordsParams& p, const View& x, const View& out,
                     const Region& region) noexcept {
  convolve_i16<WordsInRows>(p, x, out, region);
}

}  // namespace thimble::runtime
