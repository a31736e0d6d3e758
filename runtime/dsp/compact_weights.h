// SPDX-License-Identifier: Apache-2.0
// Pairs of output channels whose weights are held in 8 bits, at one pixel or at two, from the
// products to int8. A halfword of weights is 256 p + q. As it is it meets inputs x_p - 127, and its
// low byte, q, meets 256 x_q - (x_p - 127): both products together are 256 times those wanted, but
// for p * 127, which is in the bias. One extension serves four weights: 23 instructions for 32
// products at two pixels.
#pragma once

#include "pair_products.h"
#include "shared_scales.h"
#include "thimble_runtime/naked.h"
#include "widen.h"

namespace thimble::runtime {

#if defined(THIMBLE_SIMD32_ASSEMBLY)

// A pair begins with four inputs, goes on with four more where their number of fours is even, then
// eights: label 2 is eight of these in a row. The weights of eight inputs are loaded together, at
// the beginning too: label 5 goes back where the eights begin at once. The last word on the stack
// is where they do. bytes: of the code for an eight. half: of its second half. shift: x has 2^shift
// bytes a four.
#define THIMBLE_COMPACT_BEGIN(bytes, half, shift)                      \
  "push {r4, r5, r6, r7, r8, r9, r10, r11, lr}\n" THIMBLE_SHARED_STACK \
  "ldm r0, {r1, r2, r3, r4, r5, r6, r7, r8}\n"                         \
  "str r0, [sp, #40]\n"                                                \
  "stm sp, {r1, r2, r3, r4}\n"                                         \
  "mov r0, r1\n"                                                       \
  "mov r1, r6\n"                                                       \
  "add r9, r0, r5, lsl #" shift                                        \
  "\n"                                                                 \
  "adr.w r10, 4f\n"                                                    \
  "ldr r7, [r10, r7, lsl #2]\n"                                        \
  "add r7, r7, r10\n" THIMBLE_SHARED_TAIL                              \
  "sub r5, r5, #1\n"                                                   \
  "lsr r11, r5, #1\n"                                                  \
  "adr.w r6, 3f\n"                                                     \
  "add r6, r6, #1\n"                                                   \
  "cmp r11, #7\n"                                                      \
  "it ls\n"                                                            \
  "movls r6, r7\n"                                                     \
  "and r11, r11, #7\n"                                                 \
  "rsb r11, r11, #8\n"                                                 \
  "mov r10, #" bytes                                                   \
  "\n"                                                                 \
  "adr.w r4, 2f\n"                                                     \
  "mla r4, r11, r10, r4\n"                                             \
  "add r4, r4, #1\n"                                                   \
  "strd r7, r4, [sp, #32]\n"                                           \
  "adr.w r11, 5f\n"                                                    \
  "add r11, r11, #1\n"                                                 \
  "sub r4, r4, #" half                                                 \
  "\n"                                                                 \
  "tst r5, #1\n"                                                       \
  "it eq\n"                                                            \
  "moveq r4, r11\n"                                                    \
  "strd r4, r6, [sp, #16]\n"                                           \
  "strd r9, r8, [sp, #24]\n"
#define THIMBLE_TO_TWICE(s) "asr " s ", " s ", #7\n"

/// Computes out of both pixels, two channels after the other.
[[THIMBLE_NAKED]] inline void multiply_two_pixels_compact(const PairBlock&) noexcept {
  __asm__ volatile(
      THIMBLE_COMPACT_BEGIN("92", "44", "4")
      THIMBLE_PAIRS_OF_AHEAD(THIMBLE_WIDEN_MIXED)
      "1:\n"
      "ldm.w r0!, {r2, r3, r4, r5}\n"
      "ldm.w r1!, {r6, r7, r8, r9, r10, r11}\n"
      "smlad r12, r4, r8, r6\n"
      "smlad lr, r4, r9, r7\n"
      "smlad r6, r2, r8, r6\n"
      "smlad r7, r2, r9, r7\n"
      "sxtb16 r8, r8\n"
      "sxtb16 r9, r9\n"
      "smlad r12, r5, r8, r12\n"
      "smlad lr, r5, r9, lr\n"
      "smlad r6, r3, r8, r6\n"
      "smlad r7, r3, r9, r7\n"
      "ldr.w pc, [sp, #16]\n"
      "5:\n"
      "sub r1, r1, #8\n"
      "ldr.w pc, [sp, #36]\n"
      "2:\n"
      ".rept 8\n"
      "ldm.w r0!, {r2, r3, r4, r5}\n"
      "ldm.w r1!, {r8, r9, r10, r11}\n"
      "smlad r12, r4, r8, r12\n"
      "smlad lr, r4, r9, lr\n"
      "smlad r6, r2, r8, r6\n"
      "smlad r7, r2, r9, r7\n"
      "sxtb16 r8, r8\n"
      "sxtb16 r9, r9\n"
      "smlad r12, r5, r8, r12\n"
      "smlad lr, r5, r9, lr\n"
      "smlad r6, r3, r8, r6\n"
      "smlad r7, r3, r9, r7\n"
      "ldm.w r0!, {r2, r3, r4, r5}\n"
      "smlad r12, r4, r10, r12\n"
      "smlad lr, r4, r11, lr\n"
      "smlad r6, r2, r10, r6\n"
      "smlad r7, r2, r11, r7\n"
      "sxtb16 r10, r10\n"
      "sxtb16 r11, r11\n"
      "smlad r12, r5, r10, r12\n"
      "smlad lr, r5, r11, lr\n"
      "smlad r6, r3, r10, r6\n"
      "smlad r7, r3, r11, r7\n"
      ".endr\n"  //
      THIMBLE_PAIRS_TAILS
      THIMBLE_PAIRS_FINISH(THIMBLE_FIRST_OF_TWO, THIMBLE_SECOND_OF_TWO, THIMBLE_TO_TWICE,
                           THIMBLE_STORE_TWO)
      THIMBLE_PAIRS_AHEAD  //
      "17:\n" THIMBLE_IF(THIMBLE_USES_SUMS)
      "ldr r2, [sp, #4]\n"
      "strd r6, r12, [r2]\n"
      "strd r7, lr, [r2, #8]\n"  //
      THIMBLE_PAIRS_RETURN ".endif\n" THIMBLE_SHARED_SCALES);
}

/// multiply_two_pixels_compact() for one pixel. Reads two words behind x.
[[THIMBLE_NAKED]] inline void multiply_pixel_compact(const PairBlock&) noexcept {
  __asm__ volatile(
      THIMBLE_COMPACT_BEGIN("56", "24", "3")
      "1:\n"
      "ldm.w r0!, {r2, r3, r4, r5}\n"
      "ldm.w r1!, {r6, r7, r8, r9, r10, r11}\n"
      "smlad r6, r2, r8, r6\n"
      "smlad r7, r2, r9, r7\n"
      "sxtb16 r8, r8\n"
      "sxtb16 r9, r9\n"
      "smlad r6, r3, r8, r6\n"
      "smlad r7, r3, r9, r7\n"
      "ldr.w pc, [sp, #16]\n"
      "5:\n"
      "sub r0, r0, #8\n"
      "sub r1, r1, #8\n"
      "ldr.w pc, [sp, #36]\n"
      "2:\n"
      ".rept 8\n"
      "ldm.w r0!, {r2, r3, r4, r5}\n"
      "ldm.w r1!, {r8, r9, r10, r11}\n"
      "smlad r6, r2, r8, r6\n"
      "smlad r7, r2, r9, r7\n"
      "sxtb16 r8, r8\n"
      "sxtb16 r9, r9\n"
      "smlad r6, r3, r8, r6\n"
      "smlad r7, r3, r9, r7\n"
      "smlad r6, r4, r10, r6\n"
      "smlad r7, r4, r11, r7\n"
      "sxtb16 r10, r10\n"
      "sxtb16 r11, r11\n"
      "smlad r6, r5, r10, r6\n"
      "smlad r7, r5, r11, r7\n"
      ".endr\n"  //
      THIMBLE_PAIRS_TAILS
      THIMBLE_PAIRS_FINISH(THIMBLE_FIRST_OF_ONE, THIMBLE_SECOND_OF_ONE, THIMBLE_TO_TWICE,
                           THIMBLE_STORE_ONE)
      "17:\n" THIMBLE_IF(THIMBLE_USES_SUMS)
      "ldr r2, [sp, #4]\n"
      "strd r6, r7, [r2]\n"  //
      THIMBLE_PAIRS_RETURN ".endif\n" THIMBLE_SHARED_SCALES);
}

#endif

/// What the kernel is told of it (pixel_pairs.h).
struct CompactWeights {
  using Inputs = MixedInputs;
  static constexpr int32_t kDoublings = 8;  ///< of all sums
  /// A weight p of -128 may have no halfword: it is held as -127, and what that lacks is listed.
  static constexpr bool kRests = true;
  /// The first word says whether all channels have the same constants, which are behind the pairs.
  static constexpr bool kShares = THIMBLE_USES_SHARED_SCALES;
  static constexpr int32_t kHeadWords = 1;

  /// Of the weights of a pair: one of each channel for every four inputs.
  static constexpr int32_t words(int32_t fours) noexcept { return 2 * fours; }
  /// What four number `k` of a pixel adds to the sum of a channel, 0 or 1.
  static uint32_t products(const uint32_t* x, const int32_t* w, int32_t k,
                           int32_t channel) noexcept {
    const auto weights = static_cast<uint32_t>(w[2 * k + channel]);
    return static_cast<uint32_t>(dual_multiply_add(x[0], weights, 0)) +
           static_cast<uint32_t>(dual_multiply_add(x[1], even_bytes(weights), 0));
  }
  static void multiply_two_pixels(const PairBlock& block) noexcept {
#if defined(THIMBLE_SIMD32_ASSEMBLY)
    multiply_two_pixels_compact(block);
#else
    multiply_pairs_of_pixels<CompactWeights>(block);
#endif
  }
  static void multiply_pixel(const PairBlock& block) noexcept {
#if defined(THIMBLE_SIMD32_ASSEMBLY)
    multiply_pixel_compact(block);
#else
    multiply_pixels<CompactWeights>(block, 1);
#endif
  }
};

}  // namespace thimble::runtime
