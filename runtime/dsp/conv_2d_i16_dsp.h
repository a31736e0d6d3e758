// SPDX-License-Identifier: Apache-2.0
// A convolution of int16 whose inputs are read where they lie: rows of a window whose pixels are
// neighbours are one run, and so are rows that follow one another.
#pragma once

#include "input_runs.h"

namespace thimble::runtime {

template <class Words>
inline void convolve_i16(const Conv2DWordsParams& p, const View& x, const View& out,
                         const Region& region) noexcept {
  const Window2D& w = p.window;
  const int32_t channels = p.in_channels;
  const bool joined =
      (!THIMBLE_USES_RINGS || x.modulus == 0) && x.stride[2] * w.dilation_w == channels;
  const EvenColumns even = even_columns(w, x, region);
  convolve_words<Words>(
      p, out, region, even, [&](int32_t n, int32_t y, int32_t column, InputRuns& runs) {
        const Taps rows = rows_at(w, y);
        const Taps columns = columns_at(w, column);
        const int32_t taps = columns.end - columns.begin;
        if (taps == 0) return;
        for (int32_t ky = rows.begin; ky < rows.end; ++ky) {
          const int32_t in_y = rows.origin + ky * w.dilation_h;
          for (int32_t kx = columns.begin; kx < columns.end; kx += joined ? taps : 1) {
            runs.add(pixel<const int16_t>(x, n, in_y, columns.origin + kx * w.dilation_w),
                     (ky * w.kernel_w + kx) * channels, joined ? taps * channels : channels);
          }
        }
      });
}

}  // namespace thimble::runtime
