// SPDX-License-Identifier: Apache-2.0
// Pairs of output channels whose weights are held in 4 bits, at one pixel or at two, from the
// products to int8. A word has eight weights of a channel; one AND, which shifts on its way, makes
// of it two of them in the upper bits of a halfword each: times 4096. 27 instructions for 32
// products at two pixels, 18 for 16 at one.
#pragma once

#include "pair_products.h"
#include "shared_scales.h"
#include "thimble_runtime/naked.h"
#include "widen.h"

namespace thimble::runtime {

#if defined(THIMBLE_SIMD32_ASSEMBLY)

// A pair begins with eight inputs; label 2 is eight such eights in a row, that are entered where a
// multiple of eight is left. bytes: of the code for an eight. shift: x has 2^shift bytes an eight.
#define THIMBLE_NIBBLES_BEGIN(bytes, shift)                            \
  "push {r4, r5, r6, r7, r8, r9, r10, r11, lr}\n" THIMBLE_SHARED_STACK \
  "ldm r0, {r1, r2, r3, r4, r5, r6, r7, r8}\n"                         \
  "str r0, [sp, #40]\n"                                                \
  "stm sp, {r1, r2, r3, r4}\n"                                         \
  "mov r0, r1\n"                                                       \
  "mov r1, r6\n"                                                       \
  "add r5, r5, #1\n"                                                   \
  "lsr r5, r5, #1\n"                                                   \
  "add r9, r0, r5, lsl #" shift                                        \
  "\n"                                                                 \
  "adr.w r10, 4f\n"                                                    \
  "ldr r7, [r10, r7, lsl #2]\n"                                        \
  "add r7, r7, r10\n" THIMBLE_SHARED_TAIL                              \
  "sub r5, r5, #1\n"                                                   \
  "cmp r5, #7\n"                                                       \
  "and r5, r5, #7\n"                                                   \
  "rsb r5, r5, #8\n"                                                   \
  "mov r10, #" bytes                                                   \
  "\n"                                                                 \
  "adr.w r11, 2f\n"                                                    \
  "mla r5, r5, r10, r11\n"                                             \
  "add r5, r5, #1\n"                                                   \
  "adr.w r6, 3f\n"                                                     \
  "add r6, r6, #1\n"                                                   \
  "it ls\n"                                                            \
  "movls r6, r7\n"                                                     \
  "strd r5, r6, [sp, #16]\n"                                           \
  "strd r9, r8, [sp, #24]\n"                                           \
  "str r7, [sp, #32]\n"
#define THIMBLE_NIBBLES_TO_TWICE(s) "asr " s ", " s ", #11\n"

/// Computes out of both pixels, two channels after the other. Reads four words behind x where the
/// number of fours is odd.
[[THIMBLE_NAKED]] inline void multiply_two_pixels_nibbles(const PairBlock&) noexcept {
  __asm__ volatile(
      THIMBLE_NIBBLES_BEGIN("108", "5")
      THIMBLE_PAIRS_OF_AHEAD(THIMBLE_WIDEN_PLAIN)
      "1:\n"
      "ldm.w r1!, {r6, r7, r8, r9}\n"
      "mov.w r11, #0xf000f000\n"
      "ldm.w r0!, {r2, r3, r4, r5}\n"
      "and.w r10, r11, r8\n"
      "smlad r12, r4, r10, r6\n"
      "smlad r6, r2, r10, r6\n"
      "and.w r10, r11, r9\n"
      "smlad lr, r4, r10, r7\n"
      "smlad r7, r2, r10, r7\n"
      "and.w r10, r11, r8, lsl #4\n"
      "smlad r12, r5, r10, r12\n"
      "smlad r6, r3, r10, r6\n"
      "and.w r10, r11, r9, lsl #4\n"
      "smlad lr, r5, r10, lr\n"
      "smlad r7, r3, r10, r7\n"
      "ldm.w r0!, {r2, r3, r4, r5}\n"
      "and.w r10, r11, r8, lsl #8\n"
      "smlad r12, r4, r10, r12\n"
      "smlad r6, r2, r10, r6\n"
      "and.w r10, r11, r9, lsl #8\n"
      "smlad lr, r4, r10, lr\n"
      "smlad r7, r2, r10, r7\n"
      "and.w r10, r11, r8, lsl #12\n"
      "smlad r12, r5, r10, r12\n"
      "smlad r6, r3, r10, r6\n"
      "and.w r10, r11, r9, lsl #12\n"
      "smlad lr, r5, r10, lr\n"
      "smlad r7, r3, r10, r7\n"
      "ldr.w pc, [sp, #16]\n"
      "2:\n"
      ".rept 8\n"
      "ldm.w r1!, {r8, r9}\n"
      "ldm.w r0!, {r2, r3, r4, r5}\n"
      "and.w r10, r11, r8\n"
      "smlad r12, r4, r10, r12\n"
      "smlad r6, r2, r10, r6\n"
      "and.w r10, r11, r9\n"
      "smlad lr, r4, r10, lr\n"
      "smlad r7, r2, r10, r7\n"
      "and.w r10, r11, r8, lsl #4\n"
      "smlad r12, r5, r10, r12\n"
      "smlad r6, r3, r10, r6\n"
      "and.w r10, r11, r9, lsl #4\n"
      "smlad lr, r5, r10, lr\n"
      "smlad r7, r3, r10, r7\n"
      "ldm.w r0!, {r2, r3, r4, r5}\n"
      "and.w r10, r11, r8, lsl #8\n"
      "smlad r12, r4, r10, r12\n"
      "smlad r6, r2, r10, r6\n"
      "and.w r10, r11, r9, lsl #8\n"
      "smlad lr, r4, r10, lr\n"
      "smlad r7, r2, r10, r7\n"
      "and.w r10, r11, r8, lsl #12\n"
      "smlad r12, r5, r10, r12\n"
      "smlad r6, r3, r10, r6\n"
      "and.w r10, r11, r9, lsl #12\n"
      "smlad lr, r5, r10, lr\n"
      "smlad r7, r3, r10, r7\n"
      ".endr\n"  //
      THIMBLE_PAIRS_TAILS
      THIMBLE_PAIRS_FINISH(THIMBLE_FIRST_OF_TWO, THIMBLE_SECOND_OF_TWO, THIMBLE_NIBBLES_TO_TWICE,
                           THIMBLE_STORE_TWO)
      THIMBLE_PAIRS_AHEAD  //
      "17:\n" THIMBLE_IF(THIMBLE_USES_SUMS)
      "ldr r2, [sp, #4]\n"
      "strd r6, r12, [r2]\n"
      "strd r7, lr, [r2, #8]\n"  //
      THIMBLE_PAIRS_RETURN ".endif\n" THIMBLE_SHARED_SCALES);
}

/// multiply_two_pixels_nibbles() for one pixel: two words behind x.
[[THIMBLE_NAKED]] inline void multiply_pixel_nibbles(const PairBlock&) noexcept {
  __asm__ volatile(
      THIMBLE_NIBBLES_BEGIN("72", "4")
      "1:\n"
      "ldm.w r1!, {r6, r7, r8, r9}\n"
      "mov.w r11, #0xf000f000\n"
      "ldm.w r0!, {r2, r3, r4, r5}\n"
      "and.w r10, r11, r8\n"
      "smlad r6, r2, r10, r6\n"
      "and.w r10, r11, r9\n"
      "smlad r7, r2, r10, r7\n"
      "and.w r10, r11, r8, lsl #4\n"
      "smlad r6, r3, r10, r6\n"
      "and.w r10, r11, r9, lsl #4\n"
      "smlad r7, r3, r10, r7\n"
      "and.w r10, r11, r8, lsl #8\n"
      "smlad r6, r4, r10, r6\n"
      "and.w r10, r11, r9, lsl #8\n"
      "smlad r7, r4, r10, r7\n"
      "and.w r10, r11, r8, lsl #12\n"
      "smlad r6, r5, r10, r6\n"
      "and.w r10, r11, r9, lsl #12\n"
      "smlad r7, r5, r10, r7\n"
      "ldr.w pc, [sp, #16]\n"
      "2:\n"
      ".rept 8\n"
      "ldm.w r1!, {r8, r9}\n"
      "ldm.w r0!, {r2, r3, r4, r5}\n"
      "and.w r10, r11, r8\n"
      "smlad r6, r2, r10, r6\n"
      "and.w r10, r11, r9\n"
      "smlad r7, r2, r10, r7\n"
      "and.w r10, r11, r8, lsl #4\n"
      "smlad r6, r3, r10, r6\n"
      "and.w r10, r11, r9, lsl #4\n"
      "smlad r7, r3, r10, r7\n"
      "and.w r10, r11, r8, lsl #8\n"
      "smlad r6, r4, r10, r6\n"
      "and.w r10, r11, r9, lsl #8\n"
      "smlad r7, r4, r10, r7\n"
      "and.w r10, r11, r8, lsl #12\n"
      "smlad r6, r5, r10, r6\n"
      "and.w r10, r11, r9, lsl #12\n"
      "smlad r7, r5, r10, r7\n"
      ".endr\n"  //
      THIMBLE_PAIRS_TAILS
      THIMBLE_PAIRS_FINISH(THIMBLE_FIRST_OF_ONE, THIMBLE_SECOND_OF_ONE, THIMBLE_NIBBLES_TO_TWICE,
                           THIMBLE_STORE_ONE)
      "17:\n" THIMBLE_IF(THIMBLE_USES_SUMS)
      "ldr r2, [sp, #4]\n"
      "strd r6, r7, [r2]\n"  //
      THIMBLE_PAIRS_RETURN ".endif\n" THIMBLE_SHARED_SCALES);
}

#endif

/// What the kernel is told of it (pixel_pairs.h).
struct NibbleWeights {
  using Inputs = PlainInputs;
  static constexpr int32_t kDoublings = 12;  ///< of all sums
  static constexpr bool kRests = false;
  /// The first word says whether all channels have the same constants, which are behind the pairs.
  static constexpr bool kShares = THIMBLE_USES_SHARED_SCALES;
  static constexpr int32_t kHeadWords = 1;

  /// Of the weights of a pair: one of each channel for every eight inputs.
  static constexpr int32_t words(int32_t fours) noexcept { return (fours + 1) / 2 * 2; }
  /// What four number `k` of a pixel adds to the sum of a channel, 0 or 1.
  static uint32_t products(const uint32_t* x, const int32_t* w, int32_t k,
                           int32_t channel) noexcept {
    constexpr uint32_t mask = 0xf000f000U;
    const uint32_t weights = static_cast<uint32_t>(w[k / 2 * 2 + channel]) << k % 2 * 8;
    return static_cast<uint32_t>(dual_multiply_add(x[0], weights & mask, 0)) +
           static_cast<uint32_t>(dual_multiply_add(x[1], weights << 4 & mask, 0));
  }
  static void multiply_two_pixels(const PairBlock& block) noexcept {
#if defined(THIMBLE_SIMD32_ASSEMBLY)
    multiply_two_pixels_nibbles(block);
#else
    multiply_pairs_of_pixels<NibbleWeights>(block);
#endif
  }
  static void multiply_pixel(const PairBlock& block) noexcept {
#if defined(THIMBLE_SIMD32_ASSEMBLY)
    multiply_pixel_nibbles(block);
#else
    multiply_pixels<NibbleWeights>(block, 1);
#endif
  }
};

}  // namespace thimble::runtime
