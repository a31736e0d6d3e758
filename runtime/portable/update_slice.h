// SPDX-License-Identifier: Apache-2.0
// A tensor with another one over a part of it; one file per element size.
#pragma once

#include "thimble_runtime/kernels.h"
#include "walk.h"

namespace thimble::runtime {

/// Where the update begins on each of the four axes.
struct SliceBegin {
  int32_t at[4];
};

inline SliceBegin slice_begin(const UpdateSliceParams& p, const View& begins) noexcept {
  SliceBegin result{{0, 0, 0, 0}};
  const auto* from = pixel<const int32_t>(begins, 0, 0, 0);
  for (int32_t k = 0; k < p.axes; ++k) {
    const int32_t axis = 4 - p.axes + k, given = from[k * begins.stride[3]];
    const int32_t least = given < 0 ? 0 : given;
    result.at[axis] = least > p.room[axis] ? p.room[axis] : least;
  }
  return result;
}

template <class T>
inline void update_slice(const UpdateSliceParams& p, const View& x, const View& update,
                         const View& begins, const View& out, const Region& region) noexcept {
  for (int32_t k = 0; k < 4; ++k) {
    if (region.begin[k] == region.end[k]) return;
  }
  const SliceBegin begin = slice_begin(p, begins);
  const auto within = [&](int32_t index, int32_t axis) {
    return index >= begin.at[axis] && index < begin.at[axis] + p.extent[axis];
  };
  for_each_pixel(region, [&](int32_t n, int32_t y, int32_t column) {
    const auto* from = first_channel<const T>(x, region, n, y, column);
    auto* to = first_channel<T>(out, region, n, y, column);
    const bool covered = within(n, 0) && within(y, 1) && within(column, 2);
    const T* over = nullptr;
    if (covered)
      over = pixel<const T>(update, n - begin.at[0], y - begin.at[1], column - begin.at[2]);
    for (int32_t c = region.begin[3]; c < region.end[3]; ++c) {
      const bool is_over = covered && within(c, 3);
      *to = is_over ? over[(c - begin.at[3]) * update.stride[3]] : *from;
      from += x.stride[3];
      to += out.stride[3];
    }
  });
}

}  // namespace thimble::runtime
