// SPDX-License-Identifier: Apache-2.0
// Operands of two tensors as runs of elements that are neighbours in memory.
#pragma once

#include <stdint.h>

#include "walk.h"

namespace thimble::runtime {

/// Whether elements of pixels, or of rows, are neighbours in all three.
inline bool is_side_by_side(const View& x, const View& y, const View& out, bool even,
                            int32_t channels) noexcept {
  return x.stride[3] == 1 && y.stride[3] == 1 && out.stride[3] == 1 && !(even && channels == 1);
}
inline bool is_side_by_side(const View& x, const View& y, const View& out,
                            const Region& region) noexcept {
  const int32_t channels = region.end[3] - region.begin[3];
  const bool even = even_row(x, channels) && even_row(y, channels) && even_row(out, channels);
  return is_side_by_side(x, y, out, even, channels);
}

/// visit(x, y, to, count) for every run of elements side by side in all three; false if there are
/// none.
template <class Visit>
inline bool each_run(const View& x, const View& y, const View& out, const Region& region,
                     Visit visit) noexcept {
  const int32_t channels = region.end[3] - region.begin[3];
  const bool even = even_row(x, channels) && even_row(y, channels) && even_row(out, channels);
  if (!is_side_by_side(x, y, out, even, channels)) return false;
  const Region walked = even ? rows_as_pixels(region) : region;
  const int32_t count = walked.end[3] - walked.begin[3];
  if (count == 0) return true;
  for_each_pixel(walked, [&](int32_t n, int32_t row, int32_t column) {
    visit(first_channel<const int8_t>(x, walked, n, row, column),
          first_channel<const int8_t>(y, walked, n, row, column),
          first_channel<int8_t>(out, walked, n, row, column), count);
  });
  return true;
}

/// Elements that are walked together; steps are 1 where they are side by side.
struct PairRun {
  const int8_t* x;
  const int8_t* y;
  int8_t* to;
  int32_t count, x_step, y_step, out_step;
};

[[gnu::noinline]] inline int8_t* first_of_run(const View& view, const Region& region, int32_t n,
                                              int32_t y, int32_t x) noexcept {
  return first_channel<int8_t>(view, region, n, y, x);
}

/// visit(what, run) for every run of elements in row-major order: pixels, or rows whose elements
/// lie evenly. In little code, and one for all kernels.
[[gnu::cold, gnu::noinline]] inline void walk_pairs(
    const View& x, const View& y, const View& out, const Region& region,
    void (*visit)(const void* what, const PairRun& run) noexcept, const void* what) noexcept {
  const int32_t channels = region.end[3] - region.begin[3];
  const bool even = even_row(x, channels) && even_row(y, channels) && even_row(out, channels);
  const Region walked = even ? rows_as_pixels(region) : region;
  PairRun run{nullptr,
              nullptr,
              nullptr,
              walked.end[3] - walked.begin[3],
              element_step(x, channels, even),
              element_step(y, channels, even),
              element_step(out, channels, even)};
  if (run.count == 0) return;
  for (int32_t n = walked.begin[0]; n < walked.end[0]; ++n) {
    for (int32_t row = walked.begin[1]; row < walked.end[1]; ++row) {
      for (int32_t column = walked.begin[2]; column < walked.end[2]; ++column) {
        run.x = first_of_run(x, walked, n, row, column);
        run.y = first_of_run(y, walked, n, row, column);
        run.to = first_of_run(out, walked, n, row, column);
        visit(what, run);
      }
    }
  }
}
inline bool is_side_by_side(const PairRun& run) noexcept {
  return run.x_step == 1 && run.y_step == 1 && run.out_step == 1;
}

}  // namespace thimble::runtime
