// SPDX-License-Identifier: Apache-2.0
// A convolution of int16 whose inputs are read where they lie.
#pragma once

#include "../portable/window_runs.h"
#include "input_runs.h"

namespace thimble::runtime {

template <class Words>
inline void convolve_i16(const Conv2DWordsParams& p, const View& x, const View& out,
                         const Region& region) noexcept {
  const Window2D& w = p.window;
  const bool joined = rows_are_runs(w, p.in_channels, x);
  convolve_words<Words>(p, out, region, even_columns(w, x, region),
                        [&](int32_t n, int32_t y, int32_t column, InputRuns& runs) {
                          each_window_run<int16_t>(
                              w, p.in_channels, joined, x, n, y, column,
                              [&](const int16_t* from, int32_t first, int32_t count) {
                                runs.add(from, first, count);
                              });
                        });
}

}  // namespace thimble::runtime
