// SPDX-License-Identifier: Apache-2.0
// The inputs of one output pixel's window, row by row in 16 bits.
#pragma once

#include "../portable/convolve.h"
#include "widen.h"

namespace thimble::runtime {

/// Runs of taps that are multiples of four are widened where they stand.
struct WidenedRuns {
  uint32_t* to;
  int32_t step;

  void copy(const int8_t* from, int32_t count) noexcept { to = widen(from, count, to, step); }
  void fill(int32_t value, int32_t count) noexcept {
    const uint32_t both = (static_cast<uint32_t>(value) & 0xffffU) * 0x10001U;
    for (; count > 0; count -= 4, to += step) {
      to[0] = both;
      to[1] = both;
    }
  }
};

/// Others are put together first.
struct CopiedRuns {
  int8_t* to;

  void copy(const int8_t* from, int32_t count) noexcept {
    for (; count >= 4; count -= 4, from += 4, to += 4) {
      const uint32_t word = load_4(from);
      __builtin_memcpy(to, &word, sizeof(word));
    }
    for (; count > 0; --count) *to++ = *from++;
  }
  void fill(int32_t value, int32_t count) noexcept {
    for (; count > 0; --count) *to++ = static_cast<int8_t>(value);
  }
};

/// What the windows of a call have in common, and those of its current row.
struct WindowRows {
  Window2D window;
  int32_t channels;
  int32_t padding;  ///< its value
  bool joined;      ///< neighbouring taps are one run of memory
  int32_t n;
  Taps rows;
};

/// runs: WidenedRuns or CopiedRuns. x: channels are neighbours.
template <class Runs>
inline Runs read_window(const WindowRows& at, const View& x, int32_t column, Runs runs) noexcept {
  const Window2D& w = at.window;
  const Taps columns = columns_at(w, column);
  for (int32_t ky = 0; ky < w.kernel_h; ++ky) {
    if (!inside(at.rows, ky)) {
      runs.fill(at.padding, w.kernel_w * at.channels);
      continue;
    }
    runs.fill(at.padding, columns.begin * at.channels);
    for (int32_t kx = columns.begin; kx < columns.end;) {
      const auto* from = pixel<const int8_t>(x, at.n, at.rows.origin + ky * w.dilation_h,
                                             columns.origin + kx * w.dilation_w);
      int32_t taps = at.joined ? columns.end - kx : 1;
      if (taps > 1 && x.modulus != 0) taps = taps_before_wrap(x, from, taps, at.channels);
      runs.copy(from, taps * at.channels);
      kx += taps;
    }
    runs.fill(at.padding, (w.kernel_w - columns.end) * at.channels);
  }
  return runs;
}

}  // namespace thimble::runtime
