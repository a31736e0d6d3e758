// SPDX-License-Identifier: Apache-2.0
// A row of int8 times four others. Sums wrap around.
#pragma once

#include "simd32.h"
#include "thimble_runtime/naked.h"

namespace thimble::runtime {

/// The value as int16, twice in a word.
inline uint32_t twice(int32_t value) noexcept {
  return static_cast<uint32_t>(value) << 16 | (static_cast<uint32_t>(value) & 0xFFFF);
}

#if defined(THIMBLE_SIMD32_ASSEMBLY)

// r0 x, r1 row 0, r2 between, r3 row 3, r4-r7 sums, r8 fours, r9 offsets, r10 and r11 elements of
// a row, r12 and lr those of x.
#define THIMBLE_TIMES_ROW(sum)    \
  "sxtb16 r11, r10\n"             \
  "sxtb16 r10, r10, ror #8\n"     \
  "smlad " sum ", r12, r11, " sum \
  "\n"                            \
  "smlad " sum ", lr, r10, " sum "\n"

/// x + offset, four times `fours` elements, times rows that are `between` bytes apart: added to
/// four sums.
[[THIMBLE_NAKED]] inline void multiply_four_rows(const int8_t*, const int8_t*, int32_t, int32_t,
                                                 uint32_t, uint32_t*) noexcept {
  __asm__ volatile(
      "push {r4, r5, r6, r7, r8, r9, r10, r11, lr}\n"
      "mov r8, r3\n"
      "add r3, r2, r2, lsl #1\n"
      "add r3, r3, r1\n"
      "ldr r9, [sp, #36]\n"
      "ldr r10, [sp, #40]\n"
      "ldm r10, {r4, r5, r6, r7}\n"
      "1:\n"
      "ldr r10, [r0], #4\n"
      "sxtab16 r12, r9, r10\n"
      "sxtab16 lr, r9, r10, ror #8\n"
      "ldr r10, [r1, r2]\n" THIMBLE_TIMES_ROW("r5")
      "ldr r10, [r1, r2, lsl #1]\n" THIMBLE_TIMES_ROW("r6")
      "ldr r10, [r1], #4\n" THIMBLE_TIMES_ROW("r4")
      "ldr r10, [r3], #4\n" THIMBLE_TIMES_ROW("r7")
      "subs r8, r8, #1\n"
      "bne 1b\n"
      "ldr r10, [sp, #40]\n"
      "stm r10, {r4, r5, r6, r7}\n"
      "pop {r4, r5, r6, r7, r8, r9, r10, r11, pc}\n");
}
#undef THIMBLE_TIMES_ROW

#else

inline void multiply_four_rows(const int8_t* x, const int8_t* rows, int32_t between, int32_t fours,
                               uint32_t offsets, uint32_t* sums) noexcept {
  for (; fours > 0; --fours, x += 4, rows += 4) {
    const uint32_t even = add_even_bytes(offsets, load_4(x));
    const uint32_t odd = add_odd_bytes(offsets, load_4(x));
    for (int32_t row = 0; row < 4; ++row) {
      const uint32_t word = load_4(rows + row * between);
      sums[row] += static_cast<uint32_t>(dual_multiply_add(even, even_bytes(word), 0));
      sums[row] += static_cast<uint32_t>(dual_multiply_add(odd, odd_bytes(word), 0));
    }
  }
}

#endif

/// Adds the products of x + offset (in -255 to 255) with each of four rows.
inline void add_four_rows(uint32_t (&sums)[4], const int8_t* x, int32_t offset, const int8_t* rows,
                          int32_t between, int32_t count) noexcept {
  const int32_t fours = count / 4;
  if (fours > 0) multiply_four_rows(x, rows, between, fours, twice(offset), sums);
  for (int32_t k = 4 * fours; k < count; ++k) {
    const int32_t value = x[k] + offset;
    for (int32_t row = 0; row < 4; ++row)
      sums[row] += static_cast<uint32_t>(value * rows[row * between + k]);
  }
}

}  // namespace thimble::runtime
