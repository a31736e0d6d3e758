// SPDX-License-Identifier: Apache-2.0
// A row of int8 times four others, eight elements at a time: ten instructions for
// 32 products. Sums wrap around.
#pragma once

#include <stdint.h>

#include "assembly.h"
#include "thimble_runtime/naked.h"

namespace thimble::runtime {

#if defined(THIMBLE_MVE_ASSEMBLY)

/// (x + offset) times rows that are `between` bytes apart, added to four sums. count: at least 1.
// r0 x, r1, r2, r3 and r5 rows, r4, r6, r8 and r10 sums, q3 the offset.
[[THIMBLE_NAKED]] inline void multiply_four_rows(const int8_t*, const int8_t*, int32_t, int32_t,
                                                 int32_t, uint32_t*) noexcept {
  __asm__ volatile(
      "push {r4, r5, r6, r8, r9, r10, lr}\n"
      "mov r9, r3\n"
      "add r3, r1, r2, lsl #1\n"
      "add r5, r3, r2\n"
      "add r2, r1, r2\n"
      "ldr r12, [sp, #28]\n"
      "vdup.16 q3, r12\n"
      "ldr r12, [sp, #32]\n"
      "ldm r12, {r4, r6, r8, r10}\n"
      "dlstp.16 lr, r9\n"
      "1:\n"
      "vldrb.s16 q0, [r0], #8\n"
      "vldrb.s16 q1, [r1], #8\n"
      "vadd.i16 q0, q0, q3\n"
      "vmladava.s16 r4, q0, q1\n"
      "vldrb.s16 q2, [r2], #8\n"
      "vmladava.s16 r6, q0, q2\n"
      "vldrb.s16 q1, [r3], #8\n"
      "vmladava.s16 r8, q0, q1\n"
      "vldrb.s16 q2, [r5], #8\n"
      "vmladava.s16 r10, q0, q2\n"
      "letp lr, 1b\n"
      "stm r12, {r4, r6, r8, r10}\n"
      "pop {r4, r5, r6, r8, r9, r10, pc}\n");
}

#else

inline void multiply_four_rows(const int8_t* x, const int8_t* rows, int32_t between, int32_t count,
                               int32_t offset, uint32_t* sums) noexcept {
  for (int32_t k = 0; k < count; ++k) {
    for (int32_t row = 0; row < 4; ++row)
      sums[row] += static_cast<uint32_t>((x[k] + offset) * rows[row * between + k]);
  }
}

#endif

/// Adds the products of x + offset, which fits 16 bits, with each of four rows.
inline void add_four_rows(uint32_t (&sums)[4], const int8_t* x, int32_t offset, const int8_t* rows,
                          int32_t between, int32_t count) noexcept {
  if (count > 0) multiply_four_rows(x, rows, between, count, offset, sums);
}

}  // namespace thimble::runtime
