// SPDX-License-Identifier: Apache-2.0
// Sums of boxes of pixels, eight channels at a time: four words of two sums each.
#pragma once

#include "../portable/pixel_box.h"
#include "simd32.h"

namespace thimble::runtime {

/// Pixels whose sums fit 16 bits.
constexpr int32_t kPixelsInHalves = 256;

[[gnu::noinline]] inline void sum_eight_in_halves(const PixelBox& box, int32_t* sums) noexcept {
  for (int32_t c = 0; c < 8; ++c) sums[c] = 0;
  const int32_t step = box.column_step;
  const int8_t* from = box.from;
  for (int32_t row = 0; row < box.rows; ++row, from += box.next_row) {
    for (int32_t left = box.columns; left > 0;) {
      uint32_t halves[4] = {0, 0, 0, 0};  // channels 0 and 2, 1 and 3, 4 and 6, 5 and 7
      int32_t count = left < kPixelsInHalves ? left : kPixelsInHalves;
      left -= count;
      do {
        const uint32_t low = load_4(from);
        const uint32_t high = load_4(from + 4);
        from += step;
        halves[0] = add_even_bytes(halves[0], low);
        halves[1] = add_odd_bytes(halves[1], low);
        halves[2] = add_even_bytes(halves[2], high);
        halves[3] = add_odd_bytes(halves[3], high);
      } while (--count > 0);
      for (int32_t k = 0; k < 4; ++k) {
        const int32_t first = k / 2 * 4 + k % 2;
        sums[first] += static_cast<int16_t>(halves[k]);
        sums[first + 2] += static_cast<int16_t>(halves[k] >> 16);
      }
    }
  }
}

}  // namespace thimble::runtime
