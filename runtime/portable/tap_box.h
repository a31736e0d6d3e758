// SPDX-License-Identifier: Apache-2.0
// A box of taps that lie evenly in memory, and sums over it for one output.
#pragma once

#include <stdint.h>

namespace thimble::runtime {

/// Steps are elements of the input and of the weights.
struct TapBox {
  int32_t rows, columns;
  int32_t row_step, tap_step;
  int32_t weights_row_step, weights_tap_step;
};

/// The sum of (x - zero_point) * weight, to which padding would add nothing. Not inlined: the loop
/// needs all the registers of the smaller cores.
[[gnu::noinline]] inline int32_t sum_of_differences(const int8_t* x, int32_t zero_point,
                                                    const int8_t* w, const TapBox& box) noexcept {
  int32_t sum = 0;
  for (int32_t row = 0; row < box.rows; ++row) {
    const int8_t* xt = x + row * box.row_step;
    const int8_t* wt = w + row * box.weights_row_step;
    for (int32_t k = box.columns; k > 0; --k, xt += box.tap_step, wt += box.weights_tap_step) {
      sum += (*xt - zero_point) * *wt;
    }
  }
  return sum;
}

inline int32_t sum_of_weights(const int8_t* w, const TapBox& box) noexcept {
  int32_t sum = 0;
  for (int32_t row = 0; row < box.rows; ++row, w += box.weights_row_step) {
    for (int32_t k = 0; k < box.columns; ++k) sum += w[k * box.weights_tap_step];
  }
  return sum;
}

}  // namespace thimble::runtime
