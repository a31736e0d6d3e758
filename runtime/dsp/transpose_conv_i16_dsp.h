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
  convolve_words<Words>(p, out, region, EvenColumns{0, 0, 0},
                        [&](int32_t n, int32_t y, int32_t column, InputRuns& runs) {
                          each_backward_run<int16_t>(
                              p.window, p.in_channels, x, n, y, column,
                              [&](const int16_t* from, int32_t first, int32_t count) {
                                runs.add(from, first, count);
                              });
                        });
}

}  // namespace thimble::runtime
