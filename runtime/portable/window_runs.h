// SPDX-License-Identifier: Apache-2.0
// The inputs of a convolution's output pixel as runs of memory: rows of the window whose pixels are
// neighbours are one, as their weights are.
#pragma once

#include "thimble_runtime/kernels.h"
#include "thimble_runtime/uses.h"
#include "window.h"

namespace thimble::runtime {

/// Whether pixels of a window's row are one run. Channels of x are neighbours.
inline bool rows_are_runs(const Window2D& w, int32_t channels, const View& x) noexcept {
  return (!THIMBLE_USES_RINGS || x.modulus == 0) && x.stride[2] * w.dilation_w == channels;
}

/// add(from, first, count): so many inputs from `from` on; the first one's weight is number
/// `first`. joined: rows_are_runs.
template <class T, class Add>
inline void each_window_run(const Window2D& w, int32_t channels, bool joined, const View& x,
                            int32_t n, int32_t y, int32_t column, Add add) noexcept {
  const Taps rows = rows_at(w, y);
  const Taps columns = columns_at(w, column);
  const int32_t taps = columns.end - columns.begin;
  if (taps == 0) return;
  for (int32_t ky = rows.begin; ky < rows.end; ++ky) {
    const int32_t in_y = rows.origin + ky * w.dilation_h;
    for (int32_t kx = columns.begin; kx < columns.end; kx += joined ? taps : 1) {
      add(pixel<const T>(x, n, in_y, columns.origin + kx * w.dilation_w),
          (ky * w.kernel_w + kx) * channels, joined ? taps * channels : channels);
    }
  }
}

}  // namespace thimble::runtime
