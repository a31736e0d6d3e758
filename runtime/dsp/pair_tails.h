// SPDX-License-Identifier: Apache-2.0
// What the inner blocks of kernels on pairs of output channels have in common: what they are told,
// and their way from sums to int8.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "../portable/fixed_point.h"
#include "simd32.h"
#include "thimble_runtime/kernels.h"
#include "times_float_dsp.h"
#include "widen.h"

namespace thimble::runtime {

/// In the order that the assembly loads it in.
struct PairBlock {
  const uint32_t* x;  ///< every four inputs: two words of pixel a, then of pixel b if any (widen.h)
  int8_t* out;        ///< of pixel a
  int32_t to_b;       ///< from there to that of pixel b
  int8_t* end;        ///< behind the last channel of pixel a
  int32_t fours;      ///< inputs / 4, at least 1
  const int32_t* pairs;
  Tail tail;        ///< kSums: out is int32_t[2][pixels], channel by channel; one pair
  uint32_t clamps;  ///< bytes from the lowest on: 127 - upper, lower + 128, the zero point
  WindowRuns runs;  ///< of pixel a
  int32_t ahead;    ///< pairs of pixels side by side that are widened first; 0: one, which x holds
  int32_t to_next;  ///< from end to the next pair's out
  int32_t two;      ///< from out to that
  WidenedPair windows;
  /// Constants that all pairs have, kPairTailWords; null: each its own behind its weights.
  const int32_t* shared;
};
#if defined(THIMBLE_SIMD32_ASSEMBLY)
static_assert(offsetof(PairBlock, runs) == 32 && offsetof(PairBlock, ahead) == 52 &&
              offsetof(PairBlock, windows) == 64 && offsetof(WidenedPair, apart) == 16 &&
              offsetof(PairBlock, shared) == 84);
#endif

constexpr int32_t kPairTailWords = 6;  ///< multiplier, constant, shift of two channels

/// One sum, as the tail of the block takes it to int8. doublings: that all sums are held with, if
/// they are; where the sign counts they are brought back to one first.
inline int8_t finished(int32_t sum, const int32_t* constants, Tail tail, uint32_t clamps,
                       int32_t doublings = 0) noexcept {
  const auto high = 127 - static_cast<int32_t>(clamps & 255);
  const auto low = static_cast<int32_t>(clamps >> 8 & 255) - 128;
  const auto zero_point = static_cast<int8_t>(clamps >> 16);
  if (tail == Tail::kToEven || tail == Tail::kToEvenClamps)
    return static_cast<int8_t>(limit(times_float(sum, constants[0]) + zero_point, low, high));
  const bool relu = tail != Tail::kSigned && tail != Tail::kSignedClamps;
  if (!relu && doublings > 1) sum >>= doublings - 1;
  const int64_t rounding = relu ? 0 : int64_t{1} << 31;
  const int32_t constant = relu ? constants[1] : constants[1] + (sum >> 31);
  const int64_t product = static_cast<int64_t>(sum) * constants[0] + rounding;
  const int32_t value = (static_cast<int32_t>(product >> 32) + constant) >> constants[2];
  if (tail == Tail::kReluFrom) {
    return static_cast<int8_t>(limit(limit(value, 0, 255) + zero_point, -128, 127));
  }
  return static_cast<int8_t>(limit(value, low, high));
}

#if defined(THIMBLE_SIMD32_ASSEMBLY)

// Registers: x r0, pairs r1, inputs r2-r5, weights r8-r11, sums r6 (pixel b: r12) and r7 (lr). The
// biases are loaded to the sums' with the first weights. On the stack: x, out, to_b, end, where the
// products of the second four begin, what follows sixteen fours, the end of x, clamps, where the
// tail begins; one word more; from 40 on the block, and what widening needs (widen.h); at 68 how
// many pairs of pixels are ahead. thimble_stack: bytes of all that. Label 1 begins a pair of
// channels, 2 its products from the second four on, sixteen fours in a row that are entered where a
// multiple of sixteen is left; 3 asks whether there are more; 4 is a table of the tails, from
// there; 18 follows the last pair. 32-bit encodings where lengths count.

#define THIMBLE_PAIRS_TAILS                                        \
  "ldr.w pc, [sp, #20]\n"                                          \
  "3:\n"                                                           \
  "ldr r2, [sp, #24]\n"                                            \
  "cmp r0, r2\n"                                                   \
  "bne 2b\n"                                                       \
  "ldr.w pc, [sp, #32]\n"                                          \
  ".balign 4\n"                                                    \
  "4:\n"                                                           \
  ".word 10f - 4b + 1, 11f - 4b + 1, 12f - 4b + 1, 13f - 4b + 1\n" \
  ".word 14f - 4b + 1, 15f - 4b + 1, 16f - 4b + 1, 26f - 4b + 1\n" \
  ".word 27f - 4b + 1, 17f - 4b + 1\n"
#define THIMBLE_PAIRS_TAIL(used) THIMBLE_IF(used) "ldm.w r1!, {r2, r3, r4, r5, r8, r9}\n"
#define THIMBLE_PAIRS_RETURN     \
  "add sp, sp, #thimble_stack\n" \
  "pop {r4, r5, r6, r7, r8, r9, r10, r11, pc}\n"
// Begins the first pair of channels. WIDEN: the windows, from label 20 to 25.
#define THIMBLE_PAIRS_OF_AHEAD(WIDEN) \
  "ldr r12, [sp, #40]\n"              \
  "ldr r2, [r12, #52]\n"              \
  "str r2, [sp, #68]\n"               \
  "cmp r2, #0\n"                      \
  "beq.w 1f\n"                        \
  "ldrd r4, r5, [r12, #40]\n"         \
  "ldr r6, [r12, #48]\n"              \
  "strd r4, r5, [sp, #44]\n"          \
  "str r6, [sp, #52]\n" WIDEN         \
  "ldr r12, [sp, #40]\n"              \
  "ldr r1, [r12, #20]\n"              \
  "ldr r0, [sp]\n"
// The next pair of pixels; out is in r2, end in r4.
#define THIMBLE_PAIRS_AHEAD   \
  "18:\n"                     \
  "ldr r5, [sp, #68]\n"       \
  "subs r5, r5, #1\n"         \
  "ble 19f\n"                 \
  "str r5, [sp, #68]\n"       \
  "ldr r12, [sp, #40]\n"      \
  "ldr r5, [sp, #44]\n"       \
  "ldr r6, [sp, #52]\n"       \
  "add r6, r6, r5, lsl #1\n"  \
  "str r6, [sp, #52]\n"       \
  "ldrd r5, r6, [r12, #56]\n" \
  "add r2, r4, r5\n"          \
  "add r4, r4, r6\n"          \
  "str r2, [sp, #4]\n"        \
  "str r4, [sp, #12]\n"       \
  "b 20b\n"                   \
  "19:\n" THIMBLE_PAIRS_RETURN

// What a tail does to the sum of channel 0 (its constants in r2, r3, r4) or 1 (r5, r8, r9).
#define THIMBLE_RELU_0(s) \
  "smmla " s ", " s ", r2, r3\nasr " s ", " s ", r4\nssat " s ", #8, " s "\n"
#define THIMBLE_RELU_1(s) \
  "smmla " s ", " s ", r5, r8\nasr " s ", " s ", r9\nssat " s ", #8, " s "\n"
// The ReLU where all channels have one shift, an immediate: it saturates on the way.
#define THIMBLE_RELU_BY_0(s, by) "smmla " s ", " s ", r2, r3\nssat " s ", #8, " s ", asr #" by "\n"
#define THIMBLE_RELU_BY_1(s, by) "smmla " s ", " s ", r5, r8\nssat " s ", #8, " s ", asr #" by "\n"
#define THIMBLE_RELU_BY_11_0(s) THIMBLE_RELU_BY_0(s, "11")
#define THIMBLE_RELU_BY_11_1(s) THIMBLE_RELU_BY_1(s, "11")
#define THIMBLE_RELU_BY_14_0(s) THIMBLE_RELU_BY_0(s, "14")
#define THIMBLE_RELU_BY_14_1(s) THIMBLE_RELU_BY_1(s, "14")
// One less for sums below zero, whose ties round the other way.
#define THIMBLE_SIGNED_0(s) \
  "add r10, r3, " s         \
  ", asr #31\n"             \
  "smmlar " s ", " s ", r2, r10\nasr " s ", " s ", r4\nssat " s ", #8, " s "\n"
#define THIMBLE_SIGNED_1(s) \
  "add r10, r8, " s         \
  ", asr #31\n"             \
  "smmlar " s ", " s ", r5, r10\nasr " s ", " s ", r9\nssat " s ", #8, " s "\n"
// Up until it saturates, and back; the same downwards.
#define THIMBLE_HIGH(s) "qadd8 " s ", " s ", r10\nqsub8 " s ", " s ", r10\n"
#define THIMBLE_LOW(s) "qsub8 " s ", " s ", r11\nqadd8 " s ", " s ", r11\n"
// What a ReLU makes of a sum without its zero point, which is in r10.
#define THIMBLE_FROM_0(s)                                                                  \
  "smmla " s ", " s ", r2, r3\nasr " s ", " s ", r4\nusat " s ", #8, " s "\nadd " s ", " s \
  ", r10\nssat " s ", #8, " s "\n"
#define THIMBLE_FROM_1(s)                                                                  \
  "smmla " s ", " s ", r5, r8\nasr " s ", " s ", r9\nusat " s ", #8, " s "\nadd " s ", " s \
  ", r10\nssat " s ", #8, " s "\n"
// Float scales, which THIMBLE_SCALE_OF_0 and 1 have (times_float_dsp.h); the zero point is in r10.
#define THIMBLE_TO_EVEN_0(s) \
  THIMBLE_TIMES_FLOAT(s, THIMBLE_SCALE_OF_0, "r8") "add " s ", " s ", r10\nssat " s ", #8, " s "\n"
#define THIMBLE_TO_EVEN_1(s) \
  THIMBLE_TIMES_FLOAT(s, THIMBLE_SCALE_OF_1, "r8") "add " s ", " s ", r10\nssat " s ", #8, " s "\n"
#define THIMBLE_ZERO_POINT "ldr r10, [sp, #28]\nsbfx r10, r10, #16, #8\n"
#define THIMBLE_HIGH_CLAMP "ldr r10, [sp, #28]\n"
#define THIMBLE_BOTH_CLAMPS "ldr r10, [sp, #28]\nlsr r11, r10, #8\n"

// All tails that are used. FIRST and SECOND: do something to each sum of a channel. TWICE: brings a
// sum to twice itself. STORE: writes them.
#define THIMBLE_PAIRS_FINISH(FIRST, SECOND, TWICE, STORE)                                          \
  "10:\n" THIMBLE_PAIRS_TAIL(THIMBLE_USES_RELU_BY_11) FIRST(THIMBLE_RELU_BY_11_0)                  \
      SECOND(THIMBLE_RELU_BY_11_1) STORE                                                           \
      ".endif\n11:\n" THIMBLE_PAIRS_TAIL(THIMBLE_USES_RELU_BY_14) FIRST(THIMBLE_RELU_BY_14_0)      \
          SECOND(THIMBLE_RELU_BY_14_1) STORE ".endif\n12:\n" THIMBLE_PAIRS_TAIL(THIMBLE_USES_RELU) \
              FIRST(THIMBLE_RELU_0) SECOND(THIMBLE_RELU_1) STORE                                   \
      ".endif\n13:\n" THIMBLE_PAIRS_TAIL(THIMBLE_USES_RELU_HIGH) FIRST(THIMBLE_RELU_0)             \
          SECOND(THIMBLE_RELU_1) THIMBLE_HIGH_CLAMP                                                \
          FIRST(THIMBLE_HIGH) SECOND(THIMBLE_HIGH) STORE                                           \
      ".endif\n14:\n" THIMBLE_PAIRS_TAIL(THIMBLE_USES_SIGNED) FIRST(TWICE) SECOND(TWICE)           \
          FIRST(THIMBLE_SIGNED_0) SECOND(THIMBLE_SIGNED_1) STORE                                   \
      ".endif\n15:\n" THIMBLE_PAIRS_TAIL(THIMBLE_USES_SIGNED_CLAMPS) FIRST(TWICE) SECOND(TWICE)    \
          FIRST(THIMBLE_SIGNED_0) SECOND(THIMBLE_SIGNED_1) THIMBLE_BOTH_CLAMPS                     \
          FIRST(THIMBLE_HIGH) SECOND(THIMBLE_HIGH) FIRST(THIMBLE_LOW) SECOND(THIMBLE_LOW) STORE    \
      ".endif\n16:\n" THIMBLE_PAIRS_TAIL(THIMBLE_USES_RELU_FROM) THIMBLE_ZERO_POINT                \
      FIRST(THIMBLE_FROM_0) SECOND(THIMBLE_FROM_1) STORE                                           \
      ".endif\n26:\n" THIMBLE_PAIRS_TAIL(THIMBLE_USES_TO_EVEN) THIMBLE_SCALES("r2", "r5")          \
          THIMBLE_ZERO_POINT                                                                       \
          FIRST(THIMBLE_TO_EVEN_0) SECOND(THIMBLE_TO_EVEN_1) STORE                                 \
      ".endif\n27:\n" THIMBLE_PAIRS_TAIL(THIMBLE_USES_TO_EVEN_CLAMPS) THIMBLE_SCALES("r2", "r5")   \
          THIMBLE_ZERO_POINT                                                                       \
          FIRST(THIMBLE_TO_EVEN_0) SECOND(THIMBLE_TO_EVEN_1) THIMBLE_BOTH_CLAMPS                   \
          FIRST(THIMBLE_HIGH) SECOND(THIMBLE_HIGH) FIRST(THIMBLE_LOW) SECOND(THIMBLE_LOW) STORE    \
      ".endif\n"

#define THIMBLE_FIRST_OF_TWO(DO) DO("r6") DO("r12")
#define THIMBLE_SECOND_OF_TWO(DO) DO("r7") DO("lr")
#define THIMBLE_STORE_TWO      \
  "ldm sp, {r0, r2, r3, r4}\n" \
  "strb r12, [r2, r3]\n"       \
  "strb r6, [r2], #1\n"        \
  "strb lr, [r2, r3]\n"        \
  "strb r7, [r2], #1\n"        \
  "str r2, [sp, #4]\n"         \
  "cmp r2, r4\n"               \
  "bne 1b\n"                   \
  "b 18f\n"
#define THIMBLE_FIRST_OF_ONE(DO) DO("r6")
#define THIMBLE_SECOND_OF_ONE(DO) DO("r7")
#define THIMBLE_STORE_ONE      \
  "ldm sp, {r0, r2, r3, r4}\n" \
  "strb r6, [r2], #1\n"        \
  "strb r7, [r2], #1\n"        \
  "str r2, [sp, #4]\n"         \
  "cmp r2, r4\n"               \
  "bne 1b\n" THIMBLE_PAIRS_RETURN

#endif

}  // namespace thimble::runtime
