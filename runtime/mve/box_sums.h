// SPDX-License-Identifier: Apache-2.0
// Sums of boxes of pixels, eight channels at a time.
#pragma once

#include <stdint.h>

#include "../portable/pixel_box.h"
#include "bytes.h"
#include "thimble_runtime/naked.h"

namespace thimble::runtime {

/// sums[k] = sum of channel k, of eight.
#if defined(THIMBLE_MVE_ASSEMBLY)

[[THIMBLE_NAKED]] inline void sum_eight_in_vectors(const PixelBox&, int32_t*) noexcept {
  __asm__ volatile(
      "push {r4, r5, r6, lr}\n"
      "mov r6, r1\n"
      "ldm r0, {r1, r2, r3, r4, r5}\n"
      "vmov.i32 q0, #0\n"
      "vmov.i32 q1, #0\n"
      "1:\n"
      "dls lr, r3\n"
      "2:\n"
      "vldrb.s32 q2, [r1]\n"
      "vadd.i32 q0, q0, q2\n"
      "vldrb.s32 q3, [r1, #4]\n"
      "add r1, r1, r5\n"
      "vadd.i32 q1, q1, q3\n"
      "le lr, 2b\n"
      "add r1, r1, r4\n"
      "subs r2, r2, #1\n"
      "bne 1b\n"
      "vstrw.32 q0, [r6]\n"
      "vstrw.32 q1, [r6, #16]\n"
      "pop {r4, r5, r6, pc}\n");
}

#else

inline void sum_eight_in_vectors(const PixelBox& box, int32_t* sums) noexcept {
  for (int32_t c = 0; c < 8; ++c) sums[c] = 0;
  for (int32_t row = 0; row < box.rows; ++row) {
    const int8_t* const from = box.from + row * (box.columns * box.column_step + box.next_row);
    for (int32_t k = 0; k < box.columns; ++k) {
      for (int32_t c = 0; c < 8; ++c) sums[c] += from[k * box.column_step + c];
    }
  }
}

#endif

}  // namespace thimble::runtime
