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
  void copy_apart(const int8_t* from, int32_t apart, int32_t count) noexcept {
    to = widen_apart(from, apart, count, to, step);
  }
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
  void copy_apart(const int8_t* from, int32_t apart, int32_t count) noexcept {
    for (; count > 0; --count, from += apart) *to++ = *from;
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
  Outputs inner;  ///< columns whose windows are joined and meet no padding
  int32_t first;  ///< element of the first tap of column 0, if that were inner
};

inline WindowRows window_rows(const Window2D& window, int32_t channels, int32_t padding,
                              const View& x) noexcept {
  return {
      window, channels, padding, x.stride[3] == 1 && x.stride[2] * window.dilation_w == channels,
      0,      {},       {},      0};
}

inline void move_to_row(WindowRows& at, const View& x, const Region& region, int32_t n,
                        int32_t y) noexcept {
  at.n = n;
  at.rows = rows_at(at.window, y);
  const bool whole = at.rows.begin == 0 && at.rows.end == at.window.kernel_h;
  at.inner = at.joined && whole ? full_columns(at.window, region) : Outputs{0, 0};
  at.first =
      n * x.stride[0] + at.rows.origin * x.stride[1] - at.window.pad_left * x.stride[2] - x.bias;
}

/// Any window, tap by tap where need be.
template <class Runs>
[[gnu::noinline]] inline void read_any_window(const WindowRows& at, const View& x, int32_t column,
                                              Runs runs) noexcept {
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
      if (x.stride[3] == 1) {
        runs.copy(from, taps * at.channels);
      } else {
        runs.copy_apart(from, x.stride[3], at.channels);
      }
      kx += taps;
    }
    runs.fill(at.padding, (w.kernel_w - columns.end) * at.channels);
  }
}

/// runs: WidenedRuns or CopiedRuns.
template <class Runs>
inline void read_window(const WindowRows& at, const View& x, int32_t column, Runs runs) noexcept {
  if (column < at.inner.begin || column >= at.inner.end)
    return read_any_window(at, x, column, runs);
  const int32_t run = at.window.kernel_w * at.channels;
  const int32_t row_step = at.window.dilation_h * x.stride[1];
  const auto* const data = static_cast<const int8_t*>(x.data);
  const Runs start = runs;
  int32_t i = at.first + column * at.window.stride_w * x.stride[2];
  if (x.modulus == 0) {
    for (int32_t k = at.window.kernel_h; k > 0; --k, i += row_step) runs.copy(data + i, run);
    return;
  }
  i %= x.modulus;
  for (int32_t k = at.window.kernel_h; k > 0; --k, i += row_step) {
    if (i >= x.modulus) i -= x.modulus;
    if (i + run > x.modulus) return read_any_window(at, x, column, start);
    runs.copy(data + i - x.channel, run);
  }
}

}  // namespace thimble::runtime
