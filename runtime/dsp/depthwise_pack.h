// SPDX-License-Identifier: Apache-2.0
// Inputs of depthwise convolutions in scratch: neighbours in a row as pairs of int16,
// [channel][pair of columns][row].
#pragma once

#include "simd32.h"

namespace thimble::runtime {

/// Pairs of neighbours in a row of the input: the first is given, others follow the right one.
struct DepthwisePairs {
  const int8_t* left;  ///< channels are neighbours
  const int8_t* right;
  uint32_t* to;
  int32_t pitch;     ///< bytes from one channel of scratch to the next
  int32_t channels;  ///< what is left of fours is not packed
  int32_t pairs;
  int32_t step;     ///< elements from one column to the next
  int32_t to_step;  ///< bytes
};

/// Pairs of two rows of the input: the second goes to the words behind those of the first.
struct DepthwisePairsOfTwo {
  DepthwisePairs first;
  const int8_t* left;  ///< of the second
  const int8_t* right;
};

// move_down(to, from, end): the words [from, end) to a lower address, up to seven more.

inline uint32_t pair_of(int8_t low, int8_t high) noexcept {
  return static_cast<uint16_t>(low) | static_cast<uint32_t>(static_cast<uint16_t>(high)) << 16;
}

#if defined(THIMBLE_SIMD32_ASSEMBLY)

// r0 left, r1 right, r2 to, r3 and r5 one and three pitches, r4 end of left, r10 channels, r11, r12
// from the last channels of a pair to the next pair. An odd four comes first.
[[gnu::naked, gnu::noinline]] inline void pack_fours(const DepthwisePairs*) noexcept {
  asm volatile(
      "push {r4-r11, lr}\n"
      "ldm r0, {r0-r7}\n"
      "bic r10, r4, #3\n"
      "mla r8, r5, r7, r2\n"
      "push {r6, r8}\n"  // step, end of to
      "mul r9, r10, r3\n"
      "sub r11, r7, r9\n"
      "sub r12, r6, r10\n"
      "add r4, r0, r10\n"
      "add r5, r3, r3, lsl #1\n"
      "1:\n"
      "tst r10, #4\n"
      "bne 3f\n"
      "2:\n"
      "ldr r6, [r0], #4\n"
      "ldr r7, [r1], #4\n"
      "pkhbt r8, r6, r7, lsl #16\n"
      "pkhtb r9, r7, r6, asr #16\n"
      "sxtb16 r6, r8\n"
      "sxtb16 r7, r8, ror #8\n"
      "sxtb16 r8, r9\n"
      "sxtb16 r9, r9, ror #8\n"
      "str r7, [r2, r3]\n"
      "str r8, [r2, r3, lsl #1]\n"
      "str r9, [r2, r5]\n"
      "str r6, [r2]\n"
      "add r2, r2, r3, lsl #2\n"
      "3:\n"
      "ldr r6, [r0], #4\n"
      "ldr r7, [r1], #4\n"
      "pkhbt r8, r6, r7, lsl #16\n"
      "pkhtb r9, r7, r6, asr #16\n"
      "sxtb16 r6, r8\n"
      "sxtb16 r7, r8, ror #8\n"
      "sxtb16 r8, r9\n"
      "sxtb16 r9, r9, ror #8\n"
      "str r7, [r2, r3]\n"
      "str r8, [r2, r3, lsl #1]\n"
      "str r9, [r2, r5]\n"
      "str r6, [r2]\n"
      "add r2, r2, r3, lsl #2\n"
      "cmp r0, r4\n"
      "bne 2b\n"
      "ldrd r6, r7, [sp]\n"
      "add r0, r1, r12\n"
      "add r1, r0, r6\n"
      "add r2, r2, r11\n"
      "add r4, r0, r10\n"
      "cmp r2, r7\n"
      "bne 1b\n"
      "add sp, sp, #8\n"
      "pop {r4-r11, pc}\n");
}

// r0, r1 left and right of the first row, r2, r3 of the second, r12 to, lr pitch, r10 channels, r11
// end of left; on the stack from the last channels of a pair to the next pair: left, right, to; its
// end.
[[gnu::naked, gnu::noinline]] inline void pack_fours_of_two(const DepthwisePairsOfTwo*) noexcept {
  asm volatile(
      "push {r4-r11, lr}\n"
      "ldm r0!, {r4-r11}\n"  // left, right, to, pitch, channels, pairs, step, to_step
      "ldm r0, {r2, r3}\n"
      "mov r0, r4\n"
      "mov r1, r5\n"
      "mov r12, r6\n"
      "mov lr, r7\n"
      "mla r7, r9, r11, r6\n"  // end of to
      "bic r9, r8, #3\n"
      "mls r6, r9, lr, r11\n"  // to
      "sub r4, r10, r9\n"      // left
      "mov r5, r10\n"          // right
      "mov r10, r9\n"
      "push {r4-r7}\n"
      "add r11, r0, r10\n"
      "1:\n"
      "ldr r4, [r0], #4\n"
      "ldr r5, [r1], #4\n"
      "ldr r6, [r2], #4\n"
      "ldr r7, [r3], #4\n"
      "pkhbt r8, r4, r5, lsl #16\n"
      "pkhtb r5, r5, r4, asr #16\n"
      "pkhbt r9, r6, r7, lsl #16\n"
      "pkhtb r7, r7, r6, asr #16\n"
      "sxtb16 r4, r8\n"
      "sxtb16 r6, r9\n"
      "strd r4, r6, [r12]\n"
      "add r12, r12, lr\n"
      "sxtb16 r8, r8, ror #8\n"
      "sxtb16 r9, r9, ror #8\n"
      "strd r8, r9, [r12]\n"
      "add r12, r12, lr\n"
      "sxtb16 r4, r5\n"
      "sxtb16 r6, r7\n"
      "strd r4, r6, [r12]\n"
      "add r12, r12, lr\n"
      "sxtb16 r5, r5, ror #8\n"
      "sxtb16 r7, r7, ror #8\n"
      "strd r5, r7, [r12]\n"
      "add r12, r12, lr\n"
      "cmp r0, r11\n"
      "bne 1b\n"
      "ldm sp, {r4-r7}\n"
      "add r0, r1, r4\n"
      "add r1, r0, r5\n"
      "add r2, r3, r4\n"
      "add r3, r2, r5\n"
      "add r12, r12, r6\n"
      "add r11, r0, r10\n"
      "cmp r12, r7\n"
      "bne 1b\n"
      "add sp, sp, #16\n"
      "pop {r4-r11, pc}\n");
}

// Eights of words, of which the last is read and written as a whole.
[[gnu::naked, gnu::noinline]] inline void move_down(uint32_t*, const uint32_t*,
                                                    const uint32_t*) noexcept {
  asm volatile(
      "push {r4-r10, lr}\n"
      "1:\n"
      "ldm r1!, {r3-r10}\n"
      "stm r0!, {r3-r10}\n"
      "cmp r1, r2\n"
      "blo 1b\n"
      "pop {r4-r10, pc}\n");
}

#else

inline void move_down(uint32_t* to, const uint32_t* from, const uint32_t* end) noexcept {
  do {
    for (int32_t k = 0; k < 8; ++k) to[k] = from[k];
    to += 8;
    from += 8;
  } while (from < end);
}

inline void pack_fours(const DepthwisePairs* p) noexcept {
  for (int32_t k = 0; k < p->pairs; ++k) {
    uint32_t* const to = p->to + k * (p->to_step / 4);
    for (int32_t c = 0; c < p->channels / 4 * 4; ++c)
      to[c * (p->pitch / 4)] = pair_of(k == 0 ? p->left[c] : p->right[(2 * k - 1) * p->step + c],
                                       p->right[2 * k * p->step + c]);
  }
}

inline void pack_fours_of_two(const DepthwisePairsOfTwo* p) noexcept {
  DepthwisePairs row = p->first;
  pack_fours(&row);
  row.left = p->left;
  row.right = p->right;
  ++row.to;
  pack_fours(&row);
}

#endif

/// Channels that are left of fours.
[[gnu::noinline]] inline void pack_left_of_fours(const DepthwisePairs& p) noexcept {
  for (int32_t c = p.channels / 4 * 4; c < p.channels; ++c) {
    const int8_t* left = p.left + c;
    const int8_t* right = p.right + c;
    uint32_t* to = p.to + c * (p.pitch / 4);
    for (int32_t k = p.pairs; k > 0; --k, to += p.to_step / 4) {
      *to = pair_of(*left, *right);
      left = right + p.step;
      right = left + p.step;
    }
  }
}

inline void pack_pairs(const DepthwisePairs& p) noexcept {
  if (p.channels >= 4) pack_fours(&p);
  if (p.channels % 4 != 0) pack_left_of_fours(p);
}

/// What is said of the first row may then be what is so of the second.
inline void pack_pairs_of_two(DepthwisePairsOfTwo& p) noexcept {
  if (p.first.channels >= 4) pack_fours_of_two(&p);
  if (p.first.channels % 4 == 0) return;
  pack_left_of_fours(p.first);
  p.first.left = p.left;
  p.first.right = p.right;
  ++p.first.to;
  pack_left_of_fours(p.first);
}

}  // namespace thimble::runtime
