// SPDX-License-Identifier: Apache-2.0
// A state one step later: its channels but the first, then the newest.
#pragma once

#include "thimble_runtime/kernels.h"
#include "walk.h"

namespace thimble::runtime {

template <class T>
inline void shift_in(const ShiftInParams& p, const View& state, const View& newest, const View& out,
                     const Region& region) noexcept {
  if (region.begin[3] == region.end[3]) return;  // before anything is read
  const int32_t last = p.last;
  const int32_t shifted_end = region.end[3] > last ? last : region.end[3];
  for_each_pixel(region, [&](int32_t n, int32_t y, int32_t x) {
    const T* from = pixel<const T>(state, n, y, x) + (region.begin[3] + 1) * state.stride[3];
    T* to = first_channel<T>(out, region, n, y, x);
    for (int32_t c = region.begin[3]; c < shifted_end; ++c) {
      *to = *from;
      from += state.stride[3];
      to += out.stride[3];
    }
    if (region.end[3] > last) *to = *pixel<const T>(newest, n, y, x);
  });
}

}  // namespace thimble::runtime
