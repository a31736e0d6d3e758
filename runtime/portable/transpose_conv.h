// SPDX-License-Identifier: Apache-2.0
// A transposed convolution, from the output's side: the taps of a pixel are those of every
// stride-th row and column of the window, in reverse.
#pragma once

#include "unfolded_sum.h"
#include "walk.h"

namespace thimble::runtime {

/// Taps first, first + stride, ... below end of one axis; the first reads the input at `at`, each
/// further one at the place before.
struct BackwardTaps {
  int32_t first, end, at;
};

inline BackwardTaps backward_taps(int32_t out, int32_t pad, int32_t kernel, int32_t stride,
                                  int32_t extent) noexcept {
  const int32_t from = out + pad;
  BackwardTaps taps{from % stride, kernel, from / stride};
  while (taps.at >= extent && taps.first < taps.end) {
    taps.first += stride;
    --taps.at;
  }
  const int32_t reach = taps.first + (taps.at + 1) * stride;  // behind the tap of place 0
  if (reach < taps.end) taps.end = reach;
  return taps;
}

/// Those of an output pixel.
struct BackwardWindow {
  BackwardTaps rows, columns;
};

inline BackwardWindow backward_window(const Window2D& w, int32_t y, int32_t column) noexcept {
  return {backward_taps(y, w.pad_top, w.kernel_h, w.stride_h, w.in_h),
          backward_taps(column, w.pad_left, w.kernel_w, w.stride_w, w.in_w)};
}

/// add(from, first): the pixel of x that each tap meets, and the number of its first input's
/// weight.
template <class T, class Add>
inline void each_backward_tap(const BackwardWindow& taps, const Window2D& w, int32_t channels,
                              const View& x, int32_t n, Add add) noexcept {
  int32_t in_y = taps.rows.at;
  for (int32_t ky = taps.rows.first; ky < taps.rows.end; ky += w.stride_h, --in_y) {
    int32_t in_x = taps.columns.at;
    for (int32_t kx = taps.columns.first; kx < taps.columns.end; kx += w.stride_w, --in_x)
      add(pixel<const T>(x, n, in_y, in_x), (ky * w.kernel_w + kx) * channels);
  }
}

template <class T>
inline void transpose_convolve(const UnfoldedConv2DParams& p, const View& x, const View& out,
                               const Region& region) noexcept {
  const Window2D& w = p.window;
  const int32_t channels = p.in_per_group;
  for_each_pixel(region, [&](int32_t n, int32_t y, int32_t column) {
    const BackwardWindow taps = backward_window(w, y, column);
    T* to = pixel<T>(out, n, y, column);
    for (int32_t o = region.begin[3]; o < region.end[3]; ++o) {
      int64_t sum = unfolded_bias(p, o);
      const int8_t* const row = p.weights + o * w.kernel_h * w.kernel_w * channels;
      each_backward_tap<T>(taps, w, channels, x, n, [&](const T* from, int32_t first) {
        const int8_t* const weights = row + first;
        for (int32_t c = 0; c < channels; ++c)
          sum += (from[c * x.stride[3]] - p.input_zero_point) * weights[c];
      });
      to[o * out.stride[3]] = static_cast<T>(finished(p, sum, o));
    }
  });
}

}  // namespace thimble::runtime
