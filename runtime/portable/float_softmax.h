// SPDX-License-Identifier: Apache-2.0
// What softmax and its logarithm share.
#pragma once

#include "thimble_runtime/kernels.h"
#include "thimble_runtime/real_functions.h"
#include "walk.h"

namespace thimble::runtime {

/// visit(from, to) for each pixel, whose channels are whole.
template <class Visit>
inline void each_softmax_row(const View& x, const View& out, const Region& region,
                             Visit visit) noexcept {
  if (region.begin[3] == region.end[3]) return;
  for_each_pixel(region, [&](int32_t n, int32_t y, int32_t column) {
    visit(pixel<const float>(x, n, y, column), pixel<float>(out, n, y, column));
  });
}

inline float most_of(const float* from, int32_t step, int32_t count) noexcept {
  float most = -kLargestFloat;
  for (int32_t c = 0; c < count; ++c) most = from[c * step] > most ? from[c * step] : most;
  return most;
}

}  // namespace thimble::runtime
