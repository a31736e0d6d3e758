// SPDX-License-Identifier: Apache-2.0
// Pairs of output channels whose weights are held in 16 bits, at one pixel or at two, from the
// products to int8. At two pixels every load of weights meets both, every load of inputs two
// channels: ten instructions for sixteen products.
#pragma once

#include "pair_products.h"
#include "thimble_runtime/naked.h"
#include "widen.h"

namespace thimble::runtime {

#if defined(THIMBLE_SIMD32_ASSEMBLY)

// bytes: of the code for a four. shift: x has 2^shift bytes a four.
#define THIMBLE_WIDE_BEGIN(bytes, shift)          \
  "push {r4, r5, r6, r7, r8, r9, r10, r11, lr}\n" \
  ".set thimble_stack, 72\n"                      \
  "sub sp, sp, #thimble_stack\n"                  \
  "ldm r0, {r1, r2, r3, r4, r5, r6, r7, r8}\n"    \
  "str r0, [sp, #40]\n"                           \
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
// With a ReLU sums may be held in any multiple, else they are in twice.
#define THIMBLE_IS_TWICE(s)

/// Computes out of both pixels, two channels after the other.
[[THIMBLE_NAKED]] inline void multiply_two_pixels_wide(const PairBlock&) noexcept {
  __asm__ volatile(
      THIMBLE_WIDE_BEGIN("40", "4")
      THIMBLE_PAIRS_OF_AHEAD(THIMBLE_WIDEN_PLAIN)
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
      THIMBLE_PAIRS_FINISH(THIMBLE_FIRST_OF_TWO, THIMBLE_SECOND_OF_TWO, THIMBLE_IS_TWICE, THIMBLE_STORE_TWO)
      THIMBLE_PAIRS_AHEAD  //
      "17:\n" THIMBLE_IF(THIMBLE_USES_SUMS)
      "ldr r2, [sp, #4]\n"
      "strd r6, r12, [r2]\n"
      "strd r7, lr, [r2, #8]\n"  //
      THIMBLE_PAIRS_RETURN ".endif\n");
}

/// multiply_two_pixels_wide() for one pixel.
[[THIMBLE_NAKED]] inline void multiply_pixel_wide(const PairBlock&) noexcept {
  __asm__ volatile(
      THIMBLE_WIDE_BEGIN("24", "3")
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
      THIMBLE_PAIRS_FINISH(THIMBLE_FIRST_OF_ONE, THIMBLE_SECOND_OF_ONE, THIMBLE_IS_TWICE, THIMBLE_STORE_ONE)
      "17:\n" THIMBLE_IF(THIMBLE_USES_SUMS)
      "ldr r2, [sp, #4]\n"
      "strd r6, r7, [r2]\n"  //
      THIMBLE_PAIRS_RETURN ".endif\n");
}

#endif

/// What the kernel is told of it (pixel_pairs.h).
struct WideWeights {
  using Inputs = PlainInputs;
  static constexpr int32_t kDoublings = 0;  ///< of all sums, beyond those in the weights
  static constexpr bool kRests = false;
  static constexpr bool kShares = false;  ///< constants of all channels
  static constexpr int32_t kHeadWords = 0;

  /// Of the weights of a pair: two of each channel for every four inputs.
  static constexpr int32_t words(int32_t fours) noexcept { return 4 * fours; }
  /// What four number `k` of a pixel adds to the sum of a channel, 0 or 1.
  static uint32_t products(const uint32_t* x, const int32_t* w, int32_t k,
                           int32_t channel) noexcept {
    w += 4 * k + 2 * channel;
    const int32_t first = dual_multiply_add(x[0], static_cast<uint32_t>(w[0]), 0);
    return static_cast<uint32_t>(first) +
           static_cast<uint32_t>(dual_multiply_add(x[1], static_cast<uint32_t>(w[1]), 0));
  }
  static void multiply_two_pixels(const PairBlock& block) noexcept {
#if defined(THIMBLE_SIMD32_ASSEMBLY)
    multiply_two_pixels_wide(block);
#else
    multiply_pairs_of_pixels<WideWeights>(block);
#endif
  }
  static void multiply_pixel(const PairBlock& block) noexcept {
#if defined(THIMBLE_SIMD32_ASSEMBLY)
    multiply_pixel_wide(block);
#else
    multiply_pixels<WideWeights>(block, 1);
#endif
  }
};

}  // namespace thimble::runtime
