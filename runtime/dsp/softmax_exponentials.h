// SPDX-License-Identifier: Apache-2.0
// Softmax whose exponentials are a table: differences below the least that counts have zeros, whose
// share is nothing.
#pragma once

#include "../portable/softmax.h"

namespace thimble::runtime {

/// One pixel. Not inlined: its loops need all registers.
template <class Out>
[[gnu::noinline]] inline void softmax_pixel_by_table(const SoftmaxExponentialsParams& p,
                                                     const int8_t* x, int32_t step, Out* out,
                                                     int32_t out_step) noexcept {
  int32_t most = -128;
  for (int32_t c = 0; c < p.channels; ++c) {
    const int32_t value = x[c * step];
    most = value > most ? value : most;
  }
  const int32_t* const of_most = p.exponentials + most;
  int32_t sum = 0;  // in Q12
  // None is below zero, so that halves round up.
  for (int32_t c = 0; c < p.channels; ++c) sum += ((of_most[-x[c * step]] >> 11) + 1) >> 1;
  const SoftmaxShares shares(sum, 8 * sizeof(Out));
  const bool any = shares.any();
  for (int32_t c = 0; c < p.channels; ++c) {
    const int32_t exponential = of_most[-x[c * step]];
    out[c * out_step] = static_cast<Out>(any ? shares.of(exponential) : shares.low);
  }
}

template <class Out>
inline void softmax_by_table(const SoftmaxExponentialsParams& p, const View& x, const View& out,
                             const Region& region) noexcept {
  if (region.begin[3] == region.end[3]) return;  // pixels are whole otherwise
  for_each_pixel(region, [&](int32_t n, int32_t y, int32_t column) {
    softmax_pixel_by_table<Out>(p, pixel<const int8_t>(x, n, y, column), x.stride[3],
                                pixel<Out>(out, n, y, column), out.stride[3]);
  });
}

}  // namespace thimble::runtime
