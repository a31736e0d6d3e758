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
  const int32_t channels = p.in_channels;
  convolve_words<Words>(
      p, out, region, EvenColumns{0, 0, 0},
      [&](int32_t n, int32_t y, int32_t column, InputRuns& runs) {
        const BackwardTaps rows = backward_taps(y, w.pad_top, w.kernel_h, w.stride_h, w.in_h);
        const BackwardTaps columns =
            backward_taps(column, w.pad_left, w.kernel_w, w.stride_w, w.in_w);
        int32_t in_y = rows.at;
        for (int32_t ky = rows.first; ky < rows.end; ky += w.stride_h, --in_y) {
          int32_t in_x = columns.at;
          for (int32_t kx = columns.first; kx < columns.end; kx += w.stride_w, --in_x) {
            runs.add(pixel<const int16_t>(x, n, in_y, in_x), (ky * w.kernel_w + kx) * channels,
                     channels);
          }
        }
      });
}

}  // namespace thimble::runtime
