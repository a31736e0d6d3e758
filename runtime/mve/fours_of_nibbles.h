// SPDX-License-Identifier: Apache-2.0
// Fours of output channels whose weights are held in 4 bits. A byte has the weights p and q of two
// channels for an input: 16 p + q. As it is it makes 16 times the first channel's sum and the
// second's besides; shifted left by four, 16 times the second's. So a vector of 16 bytes takes one
// instruction more and makes two vectors of weights: fourteen instructions for 128 products, as
// weights of 8 bits take, and six more for eight sums.
#pragma once

#include "fours_products.h"

namespace thimble::runtime {

#if defined(THIMBLE_MVE_ASSEMBLY)

#define THIMBLE_FOURS_OF_NIBBLES(LOAD_A, LOAD_B) \
  LOAD_A                                         \
  "vldrb.8 q2, [r5], #16\n"                      \
  "vmladava.s8 r2, q0, q2\n" LOAD_B              \
  "vmladava.s8 r10, q1, q2\n"                    \
  "vshl.i8 q2, q2, #4\n"                         \
  "vmladava.s8 r0, q0, q2\n"                     \
  "vldrb.8 q3, [r5], #16\n"                      \
  "vmladava.s8 r8, q1, q2\n"                     \
  "vmladava.s8 r6, q0, q3\n"                     \
  "vmladava.s8 lr, q1, q3\n"                     \
  "vshl.i8 q3, q3, #4\n"                         \
  "vmladava.s8 r4, q0, q3\n"                     \
  "vmladava.s8 r12, q1, q3\n"
#define THIMBLE_FOURS_OF_NIBBLES_AT_ONE \
  "vldrb.8 q0, [r1], #16\n"             \
  "vldrb.8 q1, [r5], #16\n"             \
  "vmladava.s8 r2, q0, q1\n"            \
  "vshl.i8 q1, q1, #4\n"                \
  "vmladava.s8 r0, q0, q1\n"            \
  "vldrb.8 q2, [r5], #16\n"             \
  "vmladava.s8 r6, q0, q2\n"            \
  "vshl.i8 q2, q2, #4\n"                \
  "vmladava.s8 r4, q0, q2\n"
#define THIMBLE_FOURS_PART_AT_ONE \
  "sub r2, r2, r0, asr #4\n"      \
  "sub r6, r6, r4, asr #4\n"
#define THIMBLE_FOURS_PART     \
  THIMBLE_FOURS_PART_AT_ONE    \
  "sub r10, r10, r8, asr #4\n" \
  "sub lr, lr, r12, asr #4\n"
#define THIMBLE_FOURS_SHIFT_BACK(q) "vshr.s32 " q ", " q ", #4\n"

[[THIMBLE_NAKED]] inline void multiply_pixel_pairs_of_nibbles(const FoursBlock&) noexcept {
  __asm__ volatile(THIMBLE_FOURS_PIXEL_PAIRS(THIMBLE_FOURS_OF_NIBBLES, THIMBLE_FOURS_PART,
                                             THIMBLE_FOURS_SHIFT_BACK));
}

[[THIMBLE_NAKED]] inline void multiply_single_pixel_of_nibbles(const FoursBlock&) noexcept {
  __asm__ volatile(THIMBLE_FOURS_SINGLE_PIXEL(THIMBLE_FOURS_OF_NIBBLES_AT_ONE,
                                              THIMBLE_FOURS_PART_AT_ONE, THIMBLE_FOURS_SHIFT_BACK));
}

#endif

/// Weights in 4 bits.
struct FoursOfNibbles {
  static constexpr int32_t words(int32_t inputs) noexcept { return nibble_fours_words(inputs); }

  /// As FoursOfBytes::add.
  static void add(int32_t inputs, const int32_t* fours, const int8_t* x, int32_t* sums) noexcept {
    const auto* const weights = reinterpret_cast<const int8_t*>(fours + 4);
    for (int32_t pair = 0; pair < 2; ++pair) {
      auto first = static_cast<uint32_t>(fours[2 * pair]);
      auto both = static_cast<uint32_t>(fours[2 * pair + 1]);
      for (int32_t k = 0; k < inputs; ++k) {
        const int8_t byte = weights[k / 16 * 32 + 16 * pair + k % 16];
        const auto shifted = static_cast<int8_t>(static_cast<uint8_t>(byte) << 4);
        first += static_cast<uint32_t>(x[k] * shifted);
        both += static_cast<uint32_t>(x[k] * byte);
      }
      sums[2 * pair] = static_cast<int32_t>(first) >> 4;
      both -= static_cast<uint32_t>(sums[2 * pair]);
      sums[2 * pair + 1] = static_cast<int32_t>(both) >> 4;
    }
  }
#if defined(THIMBLE_MVE_ASSEMBLY)
  static void multiply_pixel_pairs(const FoursBlock& block) noexcept {
    multiply_pixel_pairs_of_nibbles(block);
  }
  static void multiply_single_pixel(const FoursBlock& block) noexcept {
    multiply_single_pixel_of_nibbles(block);
  }
#endif
};

}  // namespace thimble::runtime
