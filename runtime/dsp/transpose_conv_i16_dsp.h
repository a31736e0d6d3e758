// SPDX-License-Identifier: Apache-2.0
// A transposed convolution of int16 from the output's side: each tap that meets a pixel of the
// input is a run of its channels.
#pragma once

#include "../portable/transpose_conv.h"
#include "input_runs.h"

namespace thimble::runtime {

template <class Words>
inline void transpose_convolve_i16(const Conv2DWordsParams& p, const View& x, const View& out,
                                   const Region& region) noexcept {
  const Window2D& w = p.window;
  convolve_words<Words>(
      p, out, region, EvenColumns{0, 0, 0},
      [&](int32_t n, int32_t y, int32_t column, InputRuns& runs) {
        each_backward_tap<int16_t>(
            backward_window(w, y, column), w, p.in_channels, x, n,
            [&](const int16_t* from, int32_t first) { runs.add(from, first, p.in_channels); });
      });
}

}  // namespace thimble::runtime
