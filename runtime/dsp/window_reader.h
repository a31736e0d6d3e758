// SPDX-License-Identifier: Apache-2.0
// The inputs of one output pixel's window, row by row in 16 bits.
#pragma once

#include "../portable/convolve.h"
#include "thimble_runtime/uses.h"
#include "widen.h"

namespace thimble::runtime {

/// A number of elements, a multiple of four, that are all the same. Returns where the next belong.
template <class Inputs>
[[gnu::noinline]] inline uint32_t* widen_one(int32_t value, int32_t count, uint32_t* to,
                                             int32_t step) noexcept {
  uint32_t words[2];
  Inputs::put((static_cast<uint32_t>(value) & 0xffU) * 0x1010101U, words);
  for (; count > 0; count -= 4, to += step) {
    to[0] = words[0];
    to[1] = words[1];
  }
  return to;
}

/// Runs of taps that are multiples of four are widened where they stand.
template <class Inputs>
struct WidenedRuns {
  uint32_t* to;
  int32_t step;

  void copy(const int8_t* from, int32_t count) noexcept {
    to = widen<Inputs>(from, count, to, step);
  }
  void copy_apart(const int8_t* from, int32_t apart, int32_t count) noexcept {
    to = widen_apart<Inputs>(from, apart, count, to, step);
  }
  void fill(int32_t value, int32_t count) noexcept {
    to = widen_one<Inputs>(value, count, to, step);
  }
};

/// Elements to where `to` says. Returns where the next belong.
[[gnu::noinline]] inline int8_t* copy_run(const int8_t* from, int32_t count, int8_t* to) noexcept {
  for (; count >= 4; count -= 4, from += 4, to += 4) {
    const uint32_t word = load_4(from);
    __builtin_memcpy(to, &word, sizeof(word));
  }
  for (; count > 0; --count) *to++ = *from++;
  return to;
}

/// Others are put together first.
struct CopiedRuns {
  int8_t* to;

  void copy(const int8_t* from, int32_t count) noexcept { to = copy_run(from, count, to); }
  void copy_apart(const int8_t* from, int32_t apart, int32_t count) noexcept {
    for (; count > 0; --count, from += apart) *to++ = *from;
  }
  void fill(int32_t value, int32_t count) noexcept {
    for (; count > 0; --count) *to++ = static_cast<int8_t>(value);
  }
};

/// What the windows of a call have in common, and those of its current row of outputs.
struct WindowRows {
  static constexpr int32_t kMostRows = kMostWindowRows;  ///< of one that has inner columns

  const Window2D& window;
  int32_t channels;
  int32_t padding;  ///< its value
  bool joined;      ///< neighbouring taps are one run of memory
  int32_t run;      ///< elements of a row of a window
  int32_t step;     ///< from a window to the next one's
  int32_t n;
  Taps rows;
  /// Columns that meet no padding to the left or right, whose runs lie where those of the first of
  /// them do, so many steps further: row[ky], none where the row is padding.
  Outputs inner;
  const int8_t* row[kMostRows];
};

inline WindowRows window_rows(const Window2D& window, int32_t channels, int32_t padding,
                              const View& x) noexcept {
  const bool joined =
      x.stride[3] == 1 && (window.kernel_w == 1 || x.stride[2] * window.dilation_w == channels);
  return {
      window, channels, padding, joined, window.kernel_w * channels, window.stride_w * x.stride[2],
      0,      {},       {},      {}};
}

/// Whether all runs of the inner columns are where row[] says.
inline bool find_rows(WindowRows& at, const View& x) noexcept {
  const Window2D& w = at.window;
  const int32_t first = at.inner.begin * w.stride_w - w.pad_left;
  const int32_t pixels =
      (at.inner.end - 1 - at.inner.begin) * w.stride_w + (w.kernel_w - 1) * w.dilation_w;
  for (int32_t ky = 0; ky < w.kernel_h; ++ky) {
    at.row[ky] = nullptr;
    if (!inside(at.rows, ky)) continue;
    const int32_t y = at.rows.origin + ky * w.dilation_h;
    at.row[ky] = pixel<const int8_t>(x, at.n, y, first);
    if (THIMBLE_USES_RINGS && x.modulus != 0 &&
        pixel<const int8_t>(x, at.n, y, first + pixels) != at.row[ky] + pixels * x.stride[2])
      return false;
  }
  return true;
}

[[gnu::cold]] inline void move_to_row(WindowRows& at, const View& x, const Region& region,
                                      int32_t n, int32_t y) noexcept {
  at.n = n;
  at.rows = rows_at(at.window, y);
  at.inner = full_columns(at.window, region);
  if (!at.joined || at.window.kernel_h > WindowRows::kMostRows || at.inner.begin >= at.inner.end ||
      !find_rows(at, x))
    at.inner = {0, 0};
}

/// move_to_row() where windows are single taps, no ring, and none is padding.
inline void move_to_row_of_pixels(WindowRows& at, const View& x, const Region& region, int32_t n,
                                  int32_t y) noexcept {
  at.rows = {y * at.window.stride_h, 0, 1};
  at.inner = {region.begin[2], region.end[2]};
  at.row[0] = pixel<const int8_t>(x, n, at.rows.origin, at.inner.begin * at.window.stride_w);
}

/// Any window, tap by tap where need be.
template <class Runs>
[[gnu::cold, gnu::noinline]] inline void read_any_window(const WindowRows& at, const View& x,
                                                         int32_t column, Runs runs) noexcept {
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
      if (THIMBLE_USES_RINGS && taps > 1 && x.modulus != 0)
        taps = taps_before_wrap(x, from, taps, at.channels);
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

/// Any window. runs: what they go to; WidenedRuns only where runs are multiples of four.
template <class Runs>
inline void read_window(const WindowRows& at, const View& x, int32_t column, Runs runs) noexcept {
  if (THIMBLE_USES_PAIR_WINDOWS && (column < at.inner.begin || column >= at.inner.end))
    return read_any_window(at, x, column, runs);
  const int32_t offset = (column - at.inner.begin) * at.step;
  for (int32_t ky = 0; ky < at.window.kernel_h; ++ky) {
    if (!THIMBLE_USES_PAIR_WINDOWS || at.row[ky] != nullptr) {
      runs.copy(at.row[ky] + offset, at.run);
    } else {
      runs.fill(at.padding, at.run);
    }
  }
}

}  // namespace thimble::runtime
