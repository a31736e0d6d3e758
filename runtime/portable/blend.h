// SPDX-License-Identifier: Apache-2.0
// Bilinear resizing: each pixel between four of the input.
#pragma once

#include "thimble_runtime/kernels.h"
#include "walk.h"

namespace thimble::runtime {

/// Between the elements `first` and `last`: `fraction` of last and the rest of first, in 1/1024.
/// One element where there is no fraction: the next may not be there.
struct Between {
  int32_t first, last, fraction;
};

inline Between between(const LinearAxis& axis, int32_t index) noexcept {
  const int32_t at = index * axis.step + axis.offset;
  const int32_t first = at < 0 ? 0 : at / 1024;
  const int32_t fraction = at - first * 1024;
  if (fraction <= 0 || first + 1 >= axis.in_extent) return {first, first, 0};
  return {first, first + 1, fraction};
}

/// Channels of one pixel: to = round(((corner 0 * left + corner 1 * right) * above +
/// (corner 2 * left + corner 3 * right) * below) / 2^20), half away from zero.
struct Blend {
  const int8_t* corners[4];
  int32_t left, right;
  int8_t* to;
  int32_t above, below;
  int32_t count;
};

/// visit(blend) for every pixel.
template <class Visit>
inline void each_blend(const ResizeBilinearParams& p, const View& x, const View& out,
                       const Region& region, Visit visit) noexcept {
  const int32_t channels = region.end[3] - region.begin[3];
  for_each_pixel(region, [&](int32_t n, int32_t row, int32_t column) {
    const Between rows = between(p.rows, row);
    const Between columns = between(p.columns, column);
    const auto from = [&](int32_t y, int32_t z) {
      return first_channel<const int8_t>(x, region, n, y, z);
    };
    visit(Blend{{from(rows.first, columns.first), from(rows.first, columns.last),
                 from(rows.last, columns.first), from(rows.last, columns.last)},
                1024 - columns.fraction,
                columns.fraction,
                first_channel<int8_t>(out, region, n, row, column),
                1024 - rows.fraction,
                rows.fraction,
                channels});
  });
}

/// One channel, `at` elements from the first.
inline int8_t blended(const Blend& b, int32_t at) noexcept {
  const int32_t upper = b.corners[0][at] * b.left + b.corners[1][at] * b.right;
  const int32_t lower = b.corners[2][at] * b.left + b.corners[3][at] * b.right;
  const int32_t sum = upper * b.above + lower * b.below;
  return static_cast<int8_t>((sum + (sum >> 31) + (1 << 19)) >> 20);
}

}  // namespace thimble::runtime
