// SPDX-License-Identifier: Apache-2.0
// The inner blocks of kernels in 16 bits: pairs of output channels at one pixel or at two, from the
// products to int8. At two pixels every load of weights meets both, every load of inputs two
// channels: ten instructions for sixteen products.
#pragma once

#include <stdint.h>

#include "../portable/fixed_point.h"
#include "simd32.h"
#include "thimble_runtime/kernels.h"

namespace thimble::runtime {

/// In the order that the assembly loads it in.
struct PairBlock {
  const uint32_t* x;  ///< every four inputs: 0 and 2, 1 and 3 of pixel a, then of pixel b if any
  int8_t* out;        ///< of pixel a
  int32_t to_b;       ///< from there to that of pixel b
  int8_t* end;        ///< behind the last channel of pixel a
  int32_t fours;      ///< inputs / 4, at least 1
  const int32_t* pairs;
  Tail tail;        ///< kSums: out is int32_t[2][pixels], channel by channel; one pair
  uint32_t clamps;  ///< bytes from the lowest on: 127 - upper, lower + 128, the zero point
};

constexpr int32_t kPairTailWords = 6;  ///< multiplier, constant, shift of two channels
/// Words of a pair in Conv2DPairsParams::pairs.
constexpr int32_t pair_words(int32_t fours) noexcept { return 2 + 4 * fours + kPairTailWords; }

#if defined(THIMBLE_SIMD32_ASSEMBLY)

// Registers: x r0, pairs r1, inputs r2-r5, weights r8-r11, sums r6 (pixel b: r12) and r7 (lr). The
// biases are loaded to the sums' with the first weights. On the stack: x, out, to_b, end, where the
// products of the second four begin, what follows sixteen fours, the end of x, clamps, where the
// tail begins. Label 1 begins a pair, 2 its products from the second four on, sixteen fours in a
// row that are entered at the one that leaves a multiple of sixteen; 3 asks whether there are more;
// 4 is a table of the tails, from there. 32-bit encodings where lengths count.

// bytes: of the code for a four. shift: x has 2^shift bytes a four.
#define THIMBLE_PAIRS_BEGIN(bytes, shift)         \
  "push {r4, r5, r6, r7, r8, r9, r10, r11, lr}\n" \
  "sub sp, sp, #40\n"                             \
  "ldm r0, {r1, r2, r3, r4, r5, r6, r7, r8}\n"    \
  "stm sp, {r1, r2, r3, r4}\n"                    \
  "mov r0, r1\n"                                  \
  "mov r1, r6\n"                                  \
  "add r9, r0, r5, lsl #" shift                   \
  "\n"                                            \
  "sub r5, r5, #1\n"                              \
  "cmp r5, #15\n"                                 \
  "and r5, r5, #15\n"                             \
  "rsb r5, r5, #16\n"                             \
  "mov r10, #" bytes                              \
  "\n"                                            \
  "adr.w r11, 2f\n"                               \
  "mla r5, r5, r10, r11\n"                        \
  "add r5, r5, #1\n"                              \
  "adr.w r10, 4f\n"                               \
  "ldr r7, [r10, r7, lsl #2]\n"                   \
  "add r7, r7, r10\n"                             \
  "adr.w r6, 3f\n"                                \
  "add r6, r6, #1\n"                              \
  "it ls\n"                                       \
  "movls r6, r7\n"                                \
  "strd r5, r6, [sp, #16]\n"                      \
  "strd r9, r8, [sp, #24]\n"                      \
  "str r7, [sp, #32]\n"
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
  ".word 14f - 4b + 1, 15f - 4b + 1, 16f - 4b + 1, 17f - 4b + 1\n"
#define THIMBLE_PAIRS_CONSTANTS "ldm.w r1!, {r2, r3, r4, r5, r8, r9}\n"
#define THIMBLE_PAIRS_RETURN \
  "add sp, sp, #40\n"        \
  "pop {r4, r5, r6, r7, r8, r9, r10, r11, pc}\n"

// What a tail does to the sum of channel 0 (its constants in r2, r3, r4) or 1 (r5, r8, r9).
#define THIMBLE_RELU_0(s) \
  "smmlar " s ", " s ", r2, r3\nasr " s ", " s ", r4\nssat " s ", #8, " s "\n"
#define THIMBLE_RELU_1(s) \
  "smmlar " s ", " s ", r5, r8\nasr " s ", " s ", r9\nssat " s ", #8, " s "\n"
// The same where all channels have one shift, an immediate: it saturates on the way.
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
#define THIMBLE_FROM_0(s)                                                                   \
  "smmlar " s ", " s ", r2, r3\nasr " s ", " s ", r4\nusat " s ", #8, " s "\nadd " s ", " s \
  ", r10\nssat " s ", #8, " s "\n"
#define THIMBLE_FROM_1(s)                                                                   \
  "smmlar " s ", " s ", r5, r8\nasr " s ", " s ", r9\nusat " s ", #8, " s "\nadd " s ", " s \
  ", r10\nssat " s ", #8, " s "\n"
#define THIMBLE_ZERO_POINT "ldr r10, [sp, #28]\nsbfx r10, r10, #16, #8\n"
#define THIMBLE_HIGH_CLAMP "ldr r10, [sp, #28]\n"
#define THIMBLE_BOTH_CLAMPS "ldr r10, [sp, #28]\nlsr r11, r10, #8\n"

// All tails. FIRST and SECOND: do something to each sum of a channel. STORE: writes them.
#define THIMBLE_PAIRS_FINISH(FIRST, SECOND, STORE)                                               \
  "10:\n" THIMBLE_PAIRS_CONSTANTS FIRST(THIMBLE_RELU_BY_11_0) SECOND(THIMBLE_RELU_BY_11_1) STORE \
      "11:\n" THIMBLE_PAIRS_CONSTANTS                                                            \
      FIRST(THIMBLE_RELU_BY_14_0) SECOND(THIMBLE_RELU_BY_14_1) STORE                             \
      "12:\n" THIMBLE_PAIRS_CONSTANTS                                                            \
      FIRST(THIMBLE_RELU_0) SECOND(THIMBLE_RELU_1) STORE "13:\n" THIMBLE_PAIRS_CONSTANTS         \
      FIRST(THIMBLE_RELU_0) SECOND(THIMBLE_RELU_1) THIMBLE_HIGH_CLAMP                            \
      FIRST(THIMBLE_HIGH) SECOND(THIMBLE_HIGH) STORE "14:\n" THIMBLE_PAIRS_CONSTANTS             \
      FIRST(THIMBLE_SIGNED_0) SECOND(THIMBLE_SIGNED_1) STORE "15:\n" THIMBLE_PAIRS_CONSTANTS     \
      FIRST(THIMBLE_SIGNED_0) SECOND(THIMBLE_SIGNED_1) THIMBLE_BOTH_CLAMPS                       \
      FIRST(THIMBLE_HIGH) SECOND(THIMBLE_HIGH) FIRST(THIMBLE_LOW) SECOND(THIMBLE_LOW) STORE      \
      "16:\n" THIMBLE_PAIRS_CONSTANTS THIMBLE_ZERO_POINT                                         \
      FIRST(THIMBLE_FROM_0) SECOND(THIMBLE_FROM_1) STORE

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
  "bne 1b\n" THIMBLE_PAIRS_RETURN
#define THIMBLE_FIRST_OF_ONE(DO) DO("r6")
#define THIMBLE_SECOND_OF_ONE(DO) DO("r7")
#define THIMBLE_STORE_ONE      \
  "ldm sp, {r0, r2, r3, r4}\n" \
  "strb r6, [r2], #1\n"        \
  "strb r7, [r2], #1\n"        \
  "str r2, [sp, #4]\n"         \
  "cmp r2, r4\n"               \
  "bne 1b\n" THIMBLE_PAIRS_RETURN

/// Computes out of both pixels, two channels after the other.
[[gnu::naked, gnu::noinline, gnu::noclone]] inline void multiply_two_pixels(
    const PairBlock&) noexcept {
  __asm__ volatile(
      THIMBLE_PAIRS_BEGIN("40", "4")
      "1:\n"
      "ldm.w r0!, {r2, r3, r4, r5}\n"
      "ldm.w r1!, {r6, r7, r8, r9, r10, r11}\n"
      "smlad r12, r4, r8, r6\n"
      "smlad lr, r4, r10, r7\n"
      "smlad r6, r2, r8, r6\n"
      "smlad r7, r2, r10, r7\n"
      "smlad r12, r5, r9, r12\n"
      "smlad lr, r5, r11, lr\n"
      "smlad r6, r3, r9, r6\n"
      "smlad r7, r3, r11, r7\n"
      "ldr.w pc, [sp, #16]\n"
      "2:\n"
      ".rept 16\n"
      "ldm.w r0!, {r2, r3, r4, r5}\n"
      "ldm.w r1!, {r8, r9, r10, r11}\n"
      "smlad r12, r4, r8, r12\n"
      "smlad lr, r4, r10, lr\n"
      "smlad r6, r2, r8, r6\n"
      "smlad r7, r2, r10, r7\n"
      "smlad r12, r5, r9, r12\n"
      "smlad lr, r5, r11, lr\n"
      "smlad r6, r3, r9, r6\n"
      "smlad r7, r3, r11, r7\n"
      ".endr\n"  //
      THIMBLE_PAIRS_TAILS
      THIMBLE_PAIRS_FINISH(THIMBLE_FIRST_OF_TWO, THIMBLE_SECOND_OF_TWO, THIMBLE_STORE_TWO)
      "17:\n"
      "ldr r2, [sp, #4]\n"
      "strd r6, r12, [r2]\n"
      "strd r7, lr, [r2, #8]\n"  //
      THIMBLE_PAIRS_RETURN);
}

/// The same for one pixel.
[[gnu::naked, gnu::noinline, gnu::noclone]] inline void multiply_pixel(const PairBlock&) noexcept {
  __asm__ volatile(
      THIMBLE_PAIRS_BEGIN("24", "3")
      "1:\n"
      "ldm.w r0!, {r2, r3}\n"
      "ldm.w r1!, {r6, r7, r8, r9, r10, r11}\n"
      "smlad r6, r2, r8, r6\n"
      "smlad r7, r2, r10, r7\n"
      "smlad r6, r3, r9, r6\n"
      "smlad r7, r3, r11, r7\n"
      "ldr.w pc, [sp, #16]\n"
      "2:\n"
      ".rept 16\n"
      "ldm.w r0!, {r2, r3}\n"
      "ldm.w r1!, {r8, r9, r10, r11}\n"
      "smlad r6, r2, r8, r6\n"
      "smlad r7, r2, r10, r7\n"
      "smlad r6, r3, r9, r6\n"
      "smlad r7, r3, r11, r7\n"
      ".endr\n"  //
      THIMBLE_PAIRS_TAILS
      THIMBLE_PAIRS_FINISH(THIMBLE_FIRST_OF_ONE, THIMBLE_SECOND_OF_ONE, THIMBLE_STORE_ONE)
      "17:\n"
      "ldr r2, [sp, #4]\n"
      "strd r6, r7, [r2]\n"  //
      THIMBLE_PAIRS_RETURN);
}

#else

/// One sum, as the tail of the block takes it to int8.
inline int8_t finished(int32_t sum, const int32_t* constants, Tail tail, uint32_t clamps) noexcept {
  const int32_t shared = shared_shift(tail);
  if (shared != 0) {
    const int64_t product = static_cast<int64_t>(sum) * constants[0];
    return static_cast<int8_t>(
        saturate_8((static_cast<int32_t>(product >> 32) + constants[1]) >> shared));
  }
  const bool relu = tail == Tail::kRelu || tail == Tail::kReluHigh || tail == Tail::kReluFrom;
  const int32_t constant = relu ? constants[1] : constants[1] + (sum >> 31);
  const int64_t product = static_cast<int64_t>(sum) * constants[0] + (int64_t{1} << 31);
  const int32_t value = (static_cast<int32_t>(product >> 32) + constant) >> constants[2];
  if (tail == Tail::kReluFrom) {
    const auto zero_point = static_cast<int8_t>(clamps >> 16);
    return static_cast<int8_t>(limit(limit(value, 0, 255) + zero_point, -128, 127));
  }
  const auto high = 127 - static_cast<int32_t>(clamps & 255);
  const auto low = static_cast<int32_t>(clamps >> 8 & 255) - 128;
  return static_cast<int8_t>(limit(value, low, high));
}

inline void multiply_pixels(const PairBlock& block, int32_t pixels) noexcept {
  const int32_t* w = block.pairs;
  int8_t* out = block.out;
  do {
    const int32_t* const constants = w + 2 + 4 * block.fours;
    for (int32_t channel = 0; channel < 2; ++channel) {
      for (int32_t pixel = 0; pixel < pixels; ++pixel) {
        auto sum = static_cast<uint32_t>(w[channel]);
        for (int32_t k = 0; k < 2 * block.fours; ++k) {
          const uint32_t x = block.x[k / 2 * 2 * pixels + 2 * pixel + k % 2];
          const int32_t weights = w[2 + k / 2 * 4 + 2 * channel + k % 2];
          sum += static_cast<uint32_t>(dual_multiply_add(x, static_cast<uint32_t>(weights), 0));
        }
        const auto done = static_cast<int32_t>(sum);
        if (block.tail == Tail::kSums) {
          reinterpret_cast<int32_t*>(out)[channel * pixels + pixel] = done;
        } else {
          out[pixel * block.to_b + channel] =
              finished(done, constants + 3 * channel, block.tail, block.clamps);
        }
      }
    }
    if (block.tail == Tail::kSums) return;
    w = constants + kPairTailWords;
    out += 2;
  } while (out != block.end);
}

inline void multiply_two_pixels(const PairBlock& block) noexcept { multiply_pixels(block, 2); }
inline void multiply_pixel(const PairBlock& block) noexcept { multiply_pixels(block, 1); }

#endif

}  // namespace thimble::runtime
