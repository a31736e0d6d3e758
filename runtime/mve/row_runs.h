// SPDX-License-Identifier: Apache-2.0
// Sums of products of int16 with the words of Conv2DWordsParams in rows: one pixel, a group of
// output channels, eight inputs at a time: nine instructions for 32 products.
#pragma once

#include "../dsp/input_runs.h"
#include "assembly.h"
#include "thimble_runtime/naked.h"

namespace thimble::runtime {

#if defined(THIMBLE_MVE_ASSEMBLY)

// r0 runs, r9 x, r4 between, r11 weights; sums r6, r8, r10 and r12, rows r1, r3, r5 and r7 (loads
// that widen take low registers alone).
#define THIMBLE_SUM_ROWS(rows, products, sums)            \
  __asm__ volatile(                                       \
      "push {r2, r4, r5, r6, r7, r8, r9, r10, r11, lr}\n" \
      "mov r11, r1\n"                                     \
      "mov r4, r3\n"                                      \
      "movs r6, #0\n"                                     \
      "mov r8, #0\n"                                      \
      "mov r10, #0\n"                                     \
      "mov r12, #0\n"                                     \
      "1:\n"                                              \
      "ldm r0!, {r1, r2, r3, r5}\n"                       \
      "mov r9, r1\n"                                      \
      "and r7, r5, #1\n"                                  \
      "ubfx r5, r5, #1, #1\n"                             \
      "add r5, r5, r7\n"                                  \
      "add r1, r7, r2, lsl #1\n"                          \
      "add r2, r5, r3, lsl #1\n"                          \
      "add r1, r1, r11\n"                                 \
      "add r3, r1, r4\n" rows                             \
      "dlstp.16 lr, r2\n"                                 \
      "2:\n"                                              \
      "vldrh.u16 q0, [r9], #16\n"                         \
      "vldrb.s16 q1, [r1], #8\n"                          \
      "vmladava.s16 r6, q0, q1\n"                         \
      "vldrb.s16 q2, [r3], #8\n"                          \
      "vmladava.s16 r8, q0, q2\n" products                \
      "letp lr, 2b\n"                                     \
      "ldr r2, [r0, #-4]\n"                               \
      "lsls r2, r2, #29\n"                                \
      "bmi 1b\n"                                          \
      "pop {r2}\n"                                        \
      "stm r2, {" sums                                    \
      "}\n"                                               \
      "pop {r4, r5, r6, r7, r8, r9, r10, r11, pc}\n")

[[THIMBLE_NAKED]] inline void sum_four_rows(const InputRun*, const int32_t*, int32_t*,
                                            int32_t) noexcept {
  THIMBLE_SUM_ROWS("add r5, r3, r4\nadd r7, r5, r4\n",
                   "vldrb.s16 q1, [r5], #8\n"
                   "vmladava.s16 r10, q0, q1\n"
                   "vldrb.s16 q2, [r7], #8\n"
                   "vmladava.s16 r12, q0, q2\n",
                   "r6, r8, r10, r12");
}
[[THIMBLE_NAKED]] inline void sum_two_rows(const InputRun*, const int32_t*, int32_t*,
                                           int32_t) noexcept {
  THIMBLE_SUM_ROWS("", "", "r6, r8");
}
#undef THIMBLE_SUM_ROWS

#else

template <int32_t kChannels>
void sum_rows_plainly(const InputRun* run, const int32_t* weights, int32_t* sums,
                      int32_t between) noexcept {
  const auto* const bytes = reinterpret_cast<const int8_t*>(weights);
  for (int32_t c = 0; c < kChannels; ++c) sums[c] = 0;
  for (;; ++run) {
    const int32_t leads = (run->edges & kLeads) != 0 ? 1 : 0;
    const int32_t trails = (run->edges & kTrails) != 0 ? 1 : 0;
    const int8_t* const row = bytes + 2 * run->first_pair + leads;
    for (int32_t k = 0; k < leads + 2 * run->pairs + trails; ++k) {
      for (int32_t c = 0; c < kChannels; ++c) sums[c] += run->x[k] * row[c * between + k];
    }
    if ((run->edges & kMoreRuns) == 0) return;
  }
}
inline void sum_four_rows(const InputRun* run, const int32_t* weights, int32_t* sums,
                          int32_t between) noexcept {
  sum_rows_plainly<4>(run, weights, sums, between);
}
inline void sum_two_rows(const InputRun* run, const int32_t* weights, int32_t* sums,
                         int32_t between) noexcept {
  sum_rows_plainly<2>(run, weights, sums, between);
}

#endif

struct WordsInRows {
  static constexpr SumRuns kFour = sum_four_rows, kTwo = sum_two_rows;
  static constexpr int32_t words(int32_t pairs, int32_t group) noexcept {
    return pairs * group / 2;
  }
};

}  // namespace thimble::runtime
