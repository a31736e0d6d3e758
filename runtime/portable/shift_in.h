// SPDX-License-Identifier: Apache-2.0
// A state later in time: its indices along an axis but the first ones, then the new ones. Elements
// are written in row-major order, each behind the reading of it, so that the result may lie over
// the state.
#pragma once

#include "copy_runs.h"
#include "thimble_runtime/kernels.h"
#include "walk.h"

namespace thimble::runtime {

/// Whether the rows of a region are one run of elements in memory.
inline bool dense_rows(const View& view, const Region& region) noexcept {
  const int32_t channels = region.end[3] - region.begin[3];
  return view.modulus == 0 && view.stride[3] == 1 && view.stride[2] == channels &&
         view.stride[1] == channels * (region.end[2] - region.begin[2]);
}

/// Rows [begin, end) of the region, which are the source's `offset` rows further down.
template <class T>
inline void move_rows(const View& from, const View& out, const Region& region, int32_t begin,
                      int32_t end, int32_t offset) noexcept {
  if (begin >= end) return;
  const auto size = static_cast<int32_t>(sizeof(T));
  Region rows = region;
  rows.begin[1] = begin;
  T* to = static_cast<T*>(out.data) + first_element(out, rows);
  rows.begin[1] = begin + offset;
  copy_runs(static_cast<const T*>(from.data) + first_element(from, rows), to,
            {(end - begin) * out.stride[1] * size, 1, 0, 0});
}

template <class T>
inline void shift_in(const ShiftInParams& p, const View& state, const View& newest, const View& out,
                     const Region& region) noexcept {
  if (region.begin[3] == region.end[3]) return;  // before anything is read
  if (p.axis == 1 && dense_rows(state, region) && dense_rows(newest, region) &&
      dense_rows(out, region)) {
    const int32_t begin = region.begin[1], end = region.end[1];
    Region image = region;
    for (; image.begin[0] < region.end[0]; ++image.begin[0]) {
      move_rows<T>(state, out, image, begin, end < p.kept ? end : p.kept, p.count);
      move_rows<T>(newest, out, image, begin > p.kept ? begin : p.kept, end, -p.kept);
    }
    return;
  }
  const bool by_channels = p.axis == 3;
  for_each_pixel(region, [&](int32_t n, int32_t y, int32_t x) {
    int32_t at[3] = {n, y, x};
    int32_t c = region.begin[3], kept_end = region.end[3];
    if (by_channels) {
      kept_end = kept_end < p.kept ? kept_end : p.kept;
    } else if (at[p.axis] < p.kept) {
      at[p.axis] += p.count;
    } else {
      at[p.axis] -= p.kept;
      kept_end = c;
    }
    T* to = first_channel<T>(out, region, n, y, x);
    const int32_t ahead = by_channels ? p.count : 0, behind = by_channels ? p.kept : 0;
    if (c < kept_end) {
      const T* from = pixel<const T>(state, at[0], at[1], at[2]) + (c + ahead) * state.stride[3];
      for (; c < kept_end; ++c, from += state.stride[3], to += out.stride[3]) *to = *from;
    }
    if (c < region.end[3]) {
      const T* from = pixel<const T>(newest, at[0], at[1], at[2]) + (c - behind) * newest.stride[3];
      for (; c < region.end[3]; ++c, from += newest.stride[3], to += out.stride[3]) *to = *from;
    }
  });
}

}  // namespace thimble::runtime
