// SPDX-License-Identifier: Apache-2.0
// Sums of products of int16 with the words of Conv2DWordsParams: one pixel, a group of output
// channels, inputs from where they lie. Four channels share a load of two inputs: six instructions
// for eight products, ten where weights are held in 8 bits.
#pragma once

#include "simd32.h"
#include "thimble_runtime/kernels.h"
#include "thimble_runtime/naked.h"

namespace thimble::runtime {

/// Inputs that follow one another in memory, as their weights do. The first is the second of its
/// pair if the run leads, the last one the first of its if it trails; the pairs are in between.
struct InputRun {
  const int16_t* x;
  int32_t first_pair;  ///< of the weights: that of the first input
  int32_t pairs;
  uint32_t edges;
};
constexpr uint32_t kLeads = 1, kTrails = 2, kMoreRuns = 4;  ///< InputRun::edges

/// Sums of a group of channels over runs. between: bytes from the weights of one channel to those
/// of the next, where they are apart (mve/row_runs.h).
using SumRuns = void (*)(const InputRun* run, const int32_t* weights, int32_t* sums,
                         int32_t between);

/// How many inputs' products, below 2^22 each, fit 32 bits in any case.
constexpr int32_t kMostInputs = 508;

/// Two int16 from any address.
inline uint32_t load_2(const int16_t* from) noexcept {
  uint32_t word;
  __builtin_memcpy(&word, from, sizeof(word));
  return word;
}

#if defined(THIMBLE_SIMD32_ASSEMBLY)

// r0 x, r1 weights, r2 pairs, r3 runs, r4-r7 sums, r8-r11 weights of two inputs, r12 and lr inputs.
// Loads of weights leave the flags as they are.
#define THIMBLE_FOUR_WIDE "ldm.w r1!, {r8, r9, r10, r11}\n"
#define THIMBLE_FOUR_COMPACT  \
  "ldm.w r1!, {r8, r10}\n"    \
  "sxtb16 r9, r8, ror #8\n"   \
  "sxtb16 r11, r10, ror #8\n" \
  "sxtb16 r8, r8\n"           \
  "sxtb16 r10, r10\n"
#define THIMBLE_TWO_WIDE "ldm.w r1!, {r8, r9}\n"
#define THIMBLE_TWO_COMPACT \
  "ldr r8, [r1], #4\n"      \
  "sxtb16 r9, r8, ror #8\n" \
  "sxtb16 r8, r8\n"
#define THIMBLE_OF_TWO(product) product " r4, r12, r8, r4\n" product " r5, r12, r9, r5\n"
#define THIMBLE_OF_FOUR(product) \
  THIMBLE_OF_TWO(product)        \
  product " r6, r12, r10, r6\n" product " r7, r12, r11, r7\n"
#define THIMBLE_PAIR(load, of) "ldr r12, [r0], #4\n" load of("smlad")
#define THIMBLE_FOUR_PAIRS(load, of) \
  THIMBLE_PAIR(load, of) THIMBLE_PAIR(load, of) THIMBLE_PAIR(load, of) THIMBLE_PAIR(load, of)

// shift: the weights of two inputs are 2^shift bytes.
#define THIMBLE_SUM_RUNS(shift, load, of, sums) \
  __asm__ volatile(                                           \
      "push {r1, r2, r4, r5, r6, r7, r8, r9, r10, r11, lr}\n" \
      "mov r3, r0\n"                                          \
      "movs r4, #0\n"                                         \
      "movs r5, #0\n"                                         \
      "movs r6, #0\n"                                         \
      "movs r7, #0\n"                                         \
      "1:\n"                                                  \
      "ldm.w r3!, {r0, r1, r2, r12}\n"                        \
      "ldr.w lr, [sp]\n"                                      \
      "add.w r1, lr, r1, lsl #" shift                         \
      "\n"                                                    \
      "lsls.w r12, r12, #31\n"                                \
      "bpl 2f\n"                                              \
      "ldrsh r12, [r0], #2\n" load of("smlabt")               \
      "2:\n"                                                  \
      "subs r2, r2, #4\n"                                     \
      "blo 4f\n"                                              \
      "3:\n" THIMBLE_FOUR_PAIRS(load, of)                     \
      "subs r2, r2, #4\n"                                     \
      "bhs 3b\n"                                              \
      "4:\n"                                                  \
      "adds r2, r2, #4\n"                                     \
      "beq 6f\n"                                              \
      "5:\n" THIMBLE_PAIR(load, of)                           \
      "subs r2, r2, #1\n"                                     \
      "bne 5b\n"                                              \
      "6:\n"                                                  \
      "ldr r12, [r3, #-4]\n"                                  \
      "lsls.w r12, r12, #30\n"                                \
      "bpl 7f\n"                                              \
      "ldrsh.w r12, [r0]\n" load of("smlabb")                 \
      "7:\n"                                                  \
      "bcs 1b\n"                                              \
      "ldr r0, [sp, #4]\n"                                    \
      "stm r0, {" sums                                        \
      "}\n"                                                   \
      "add sp, sp, #8\n"                                      \
      "pop {r4, r5, r6, r7, r8, r9, r10, r11, pc}\n")

[[THIMBLE_NAKED]] inline void sum_four_wide(const InputRun*, const int32_t*, int32_t*,
                                            int32_t) noexcept {
  THIMBLE_SUM_RUNS("4", THIMBLE_FOUR_WIDE, THIMBLE_OF_FOUR, "r4, r5, r6, r7");
}
[[THIMBLE_NAKED]] inline void sum_two_wide(const InputRun*, const int32_t*, int32_t*,
                                           int32_t) noexcept {
  THIMBLE_SUM_RUNS("3", THIMBLE_TWO_WIDE, THIMBLE_OF_TWO, "r4, r5");
}
[[THIMBLE_NAKED]] inline void sum_four_compact(const InputRun*, const int32_t*, int32_t*,
                                               int32_t) noexcept {
  THIMBLE_SUM_RUNS("3", THIMBLE_FOUR_COMPACT, THIMBLE_OF_FOUR, "r4, r5, r6, r7");
}
[[THIMBLE_NAKED]] inline void sum_two_compact(const InputRun*, const int32_t*, int32_t*,
                                              int32_t) noexcept {
  THIMBLE_SUM_RUNS("2", THIMBLE_TWO_COMPACT, THIMBLE_OF_TWO, "r4, r5");
}

#undef THIMBLE_SUM_RUNS
#undef THIMBLE_FOUR_PAIRS
#undef THIMBLE_PAIR
#undef THIMBLE_OF_FOUR
#undef THIMBLE_OF_TWO
#undef THIMBLE_TWO_COMPACT
#undef THIMBLE_TWO_WIDE
#undef THIMBLE_FOUR_COMPACT
#undef THIMBLE_FOUR_WIDE

#else

template <int32_t kChannels, bool kCompact>
void sum_plainly(const InputRun* run, const int32_t* weights, int32_t* sums) noexcept {
  const auto pair_of = [weights](int32_t pair, int32_t channel) -> uint32_t {
    if (!kCompact) return static_cast<uint32_t>(weights[pair * kChannels + channel]);
    const auto both = static_cast<uint32_t>(weights[(pair * kChannels + channel) / 2]);
    return channel % 2 == 0 ? even_bytes(both) : odd_bytes(both);
  };
  for (int32_t c = 0; c < kChannels; ++c) sums[c] = 0;
  for (;; ++run) {
    const int16_t* x = run->x;
    int32_t pair = run->first_pair;
    if ((run->edges & kLeads) != 0) {
      for (int32_t c = 0; c < kChannels; ++c)
        sums[c] += *x * static_cast<int16_t>(pair_of(pair, c) >> 16);
      ++x;
      ++pair;
    }
    for (int32_t k = 0; k < run->pairs; ++k, ++pair, x += 2) {
      for (int32_t c = 0; c < kChannels; ++c)
        sums[c] = dual_multiply_add(load_2(x), pair_of(pair, c), sums[c]);
    }
    if ((run->edges & kTrails) != 0) {
      for (int32_t c = 0; c < kChannels; ++c)
        sums[c] += *x * static_cast<int16_t>(pair_of(pair, c));
    }
    if ((run->edges & kMoreRuns) == 0) return;
  }
}

inline void sum_four_wide(const InputRun* run, const int32_t* weights, int32_t* sums,
                          int32_t) noexcept {
  sum_plainly<4, false>(run, weights, sums);
}
inline void sum_two_wide(const InputRun* run, const int32_t* weights, int32_t* sums,
                         int32_t) noexcept {
  sum_plainly<2, false>(run, weights, sums);
}
inline void sum_four_compact(const InputRun* run, const int32_t* weights, int32_t* sums,
                             int32_t) noexcept {
  sum_plainly<4, true>(run, weights, sums);
}
inline void sum_two_compact(const InputRun* run, const int32_t* weights, int32_t* sums,
                            int32_t) noexcept {
  sum_plainly<2, true>(run, weights, sums);
}

#endif

}  // namespace thimble::runtime
