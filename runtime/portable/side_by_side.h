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

}  // namespace thimble::runtime
