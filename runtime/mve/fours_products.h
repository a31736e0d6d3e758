// SPDX-License-Identifier: Apache-2.0
// The inner blocks of convolutions in MVE: fours of output channels at one pixel or at two, from
// the products to int8. Sixteen products an instruction; at two pixels every load of weights meets
// both, every load of inputs four channels: fourteen instructions for 128 products.
#pragma once

#include <stdint.h>

#include "../portable/fixed_point.h"
#include "assembly.h"
#include "thimble_runtime/kernels.h"
#include "thimble_runtime/naked.h"

namespace thimble::runtime {

/// In the order that the assembly loads it in. A run of `pairs` pairs of pixels: the next one's
/// inputs and outputs follow `x_step` and `out_step` bytes behind. No write of a pixel may change
/// inputs of its own or of later ones, nor one of pixel b those of pixel a.
struct FoursBlock {
  const int8_t* x_a;
  const int8_t* x_b;
  int32_t chunks;  ///< rounds of the loop over whole sixteens
  FoursRounding rounding;
  int32_t to_b;  ///< from an output of pixel a to that of pixel b, less 4
  int8_t* end;   ///< behind the last channel of pixel a
  int32_t x_step, out_step;
  const int32_t* fours;
  int32_t pairs;
  int32_t channels;  ///< a multiple of four, at least 4
  int32_t entry;     ///< bytes of the loop that its first round leaves out
  int32_t rest;      ///< inputs of the last sixteen, 1 to 16
  int32_t zero_point, clamp_min, clamp_max;
  int32_t inputs;
};

constexpr int32_t kSixteensInRound = 4;

/// Sets the inputs of a block whose windows have so many.
inline void set_inputs(FoursBlock& block, int32_t inputs) noexcept {
  const int32_t whole = (inputs - 1) / 16;
  const int32_t left = whole % kSixteensInRound;
  block.inputs = inputs;
  block.rest = inputs - 16 * whole;
  block.chunks = whole / kSixteensInRound + 1;
  // 14 instructions each; behind them two that count rounds.
  block.entry = whole == 0 ? kSixteensInRound * 56 + 8 : (kSixteensInRound - left) * 56;
}

#if defined(THIMBLE_MVE_ASSEMBLY)

// Four sums in r0, r2, r4, r6 of QS: requantised, in lanes of 32 bits. The stream (r5) has the
// multipliers and shifts next, which go to q2 and q3; q7 is used.
#define THIMBLE_FOURS_CONSTANTS \
  "vldrw.32 q2, [r5], #16\n"    \
  "vldrw.32 q3, [r5], #16\n"
// Left shifts, then ties away from zero where there is a right shift.
#define THIMBLE_FOURS_LEFT "vmov.i32 q7, #0\nvmax.s32 q7, q3, q7\n"
#define THIMBLE_FOURS_SHIFT_LEFT(q) "vshl.s32 " q ", " q ", q7\n"
#define THIMBLE_FOURS_RIGHT "vmov.i32 q7, #0\nvmin.s32 q3, q3, q7\n"
#define THIMBLE_FOURS_MULTIPLY(q) "vqrdmulh.s32 " q ", " q ", q2\n"
// One less where both the product and the shift are negative.
#define THIMBLE_FOURS_AWAY_IF(q) \
  "vand q7, " q ", q3\nvshr.s32 q7, q7, #31\nvadd.i32 " q ", " q ", q7\n"
#define THIMBLE_FOURS_AWAY(q) "vshr.s32 q7, " q ", #31\nvadd.i32 " q ", " q ", q7\n"
// Float scales; then shifts do nothing.
#if THIMBLE_MVE_FLOAT_SCALES
#define THIMBLE_FOURS_TO_EVEN(q) \
  "vcvt.f32.s32 " q ", " q       \
  "\n"                           \
  "vmul.f32 " q ", " q           \
  ", q2\n"                       \
  "vcvtn.s32.f32 " q ", " q "\n"
#else
#define THIMBLE_FOURS_TO_EVEN(q)
#endif
#define THIMBLE_FOURS_SHIFT(q) "vrshl.s32 " q ", " q ", q3\n"

// Sixteen inputs of pixels a and b, q0 and q1, and four channels. LOAD_A and LOAD_B: of these. 14
// instructions with both.
#define THIMBLE_FOURS_OF_BYTES(LOAD_A, LOAD_B) \
  LOAD_A                                       \
  "vldrb.8 q2, [r5], #16\n"                    \
  "vmladava.s8 r0, q0, q2\n" LOAD_B            \
  "vmladava.s8 r8, q1, q2\n"                   \
  "vldrb.8 q3, [r5], #16\n"                    \
  "vmladava.s8 r2, q0, q3\n"                   \
  "vldrb.8 q2, [r5], #16\n"                    \
  "vmladava.s8 r10, q1, q3\n"                  \
  "vldrb.8 q3, [r5], #16\n"                    \
  "vmladava.s8 r4, q0, q2\n"                   \
  "vmladava.s8 r12, q1, q2\n"                  \
  "vmladava.s8 r6, q0, q3\n"                   \
  "vmladava.s8 lr, q1, q3\n"
#define THIMBLE_FOURS_OF_BYTES_AT_ONE \
  "vldrb.8 q0, [r1], #16\n"           \
  "vldrb.8 q1, [r5], #16\n"           \
  "vmladava.s8 r0, q0, q1\n"          \
  "vldrb.8 q2, [r5], #16\n"           \
  "vmladava.s8 r2, q0, q2\n"          \
  "vldrb.8 q1, [r5], #16\n"           \
  "vmladava.s8 r4, q0, q1\n"          \
  "vldrb.8 q2, [r5], #16\n"           \
  "vmladava.s8 r6, q0, q2\n"
#define THIMBLE_FOURS_LOAD_A "vldrb.8 q0, [r1], #16\n"
#define THIMBLE_FOURS_LOAD_B "vldrb.8 q1, [r3], #16\n"
#define THIMBLE_FOURS_LOAD_REST "vpstt\nvldrbt.8 q0, [r1]\nvldrbt.8 q1, [r3]\n"

// Two pixels at a time. FOURS: as THIMBLE_FOURS_OF_BYTES. PART: takes the sums of channels apart
// that are held together. SHIFT: brings sums to what they are. Registers: inputs r1 and r3, the
// stream r5, output r7, where a round is entered r9, rounds r11; sums r0, r2, r4, r6 and r8, r10,
// r12, lr. q4 to q6: zero point and clamps in 16 bits. P0 is that of the last sixteen. On the stack
// the block's first words, with the address of the tail in place of the rounding. Label 1 begins
// four channels, 2 a round, 3 the last sixteen.
#define THIMBLE_FOURS_PIXEL_PAIRS(FOURS, PART, SHIFT) \
  "push {r4, r5, r6, r7, r8, r9, r10, r11, lr}\n" \
      "vpush {d8, d9, d10, d11, d12, d13, d14, d15}\n" \
      "sub sp, sp, #44\n" \
      "add r12, r0, #48\n" \
      "ldm r12, {r1, r2, r3, r4}\n" \
      "vctp.8 r1\n" \
      "vdup.16 q4, r2\n" \
      "vdup.16 q5, r3\n" \
      "vdup.16 q6, r4\n" \
      "ldm r0, {r1, r2, r3, r4, r5, r6, r7, r8, r9, r10, r11, r12}\n" \
      "adr.w lr, 4f\n" \
      "ldr r4, [lr, r4, lsl #2]\n" \
      "add r4, r4, lr\n" \
      "stm sp, {r1, r2, r3, r4, r5, r6, r7, r8, r9, r10, r11}\n" \
      "sub r7, r6, r11\n" \
      "mov r5, r9\n" \
      "adr.w r9, 2f\n" \
      "add r9, r9, r12\n" \
      "add r9, r9, #1\n" \
      "mov r11, r3\n" \
      "mov r3, r2\n" \
      "1:\n" \
      "ldrd r0, r2, [r5]\n" \
      "ldrd r8, r10, [r5], #8\n" \
      "ldrd r4, r6, [r5]\n" \
      "ldrd r12, lr, [r5], #8\n" \
      "bx r9\n" \
      ".balign 4\n" \
      "2:\n" \
      ".rept 4\n" FOURS(THIMBLE_FOURS_LOAD_A, THIMBLE_FOURS_LOAD_B) \
      ".endr\n" \
      "subs.w r11, r11, #1\n" \
      "bne.w 2b\n" \
      "3:\n" FOURS(THIMBLE_FOURS_LOAD_REST, "") PART \
      "vmov q0[2], q0[0], r0, r4\n" \
      "vmov q0[3], q0[1], r2, r6\n" \
      "vmov q1[2], q1[0], r8, r12\n" \
      "vmov q1[3], q1[1], r10, lr\n" SHIFT("q0") SHIFT("q1") \
      THIMBLE_FOURS_CONSTANTS \
      "ldr.w pc, [sp, #12]\n" \
      ".balign 4\n" \
      "4:\n" \
      ".word 11f - 4b + 1, 12f - 4b + 1, 13f - 4b + 1, 14f - 4b + 1\n" \
      "14:\n" \
      THIMBLE_FOURS_TO_EVEN("q0") THIMBLE_FOURS_TO_EVEN("q1") \
      "b 6f\n" \
      "13:\n" \
      THIMBLE_FOURS_LEFT \
          THIMBLE_FOURS_SHIFT_LEFT("q0") THIMBLE_FOURS_SHIFT_LEFT("q1") \
      THIMBLE_FOURS_RIGHT \
          THIMBLE_FOURS_MULTIPLY("q0") THIMBLE_FOURS_MULTIPLY("q1") \
      THIMBLE_FOURS_AWAY_IF("q0") THIMBLE_FOURS_AWAY_IF("q1") \
      "b 5f\n" \
      "12:\n" \
      THIMBLE_FOURS_MULTIPLY("q0") THIMBLE_FOURS_MULTIPLY("q1") \
      THIMBLE_FOURS_AWAY("q0") THIMBLE_FOURS_AWAY("q1") \
      "b 5f\n" \
      "11:\n" \
      THIMBLE_FOURS_MULTIPLY("q0") THIMBLE_FOURS_MULTIPLY("q1") \
      "5:\n" \
      THIMBLE_FOURS_SHIFT("q0") THIMBLE_FOURS_SHIFT("q1") \
      "6:\n" \
      "vqmovnb.s32 q0, q0\n" \
      "vqmovnt.s32 q0, q1\n" \
      "ldrd r0, r2, [sp, #16]\n" \
      "vqadd.s16 q0, q0, q4\n" \
      "vmax.s16 q0, q0, q5\n" \
      "vmin.s16 q0, q0, q6\n" \
      "vstrb.32 q0, [r7], #4\n" \
      "vshr.u32 q0, q0, #16\n" \
      "add r0, r0, r7\n" \
      "vstrb.32 q0, [r0]\n" \
      "ldrd r1, r3, [sp]\n" \
      "ldr r11, [sp, #8]\n" \
      "cmp r7, r2\n" \
      "bne 1b\n" \
      "ldrd r0, r2, [sp, #24]\n" \
      "ldrd r5, r4, [sp, #32]\n" \
      "ldr r6, [sp, #40]\n" \
      "add r1, r1, r0\n" \
      "add r3, r3, r0\n" \
      "add r7, r7, r2\n" \
      "subs r4, r4, #1\n" \
      "str r4, [sp, #36]\n" \
      "strd r1, r3, [sp]\n" \
      "str r7, [sp, #20]\n" \
      "sub r7, r7, r6\n" \
      "bne 1b\n" \
      "add sp, sp, #44\n" \
      "vpop {d8, d9, d10, d11, d12, d13, d14, d15}\n" \
      "pop {r4, r5, r6, r7, r8, r9, r10, r11, pc}\n"

// Pixel a alone.
// Registers: inputs r1, their beginning r11, their number r3, the stream r5, output r7, its end r9,
// the tail r8, the loop's count lr; sums r0, r2, r4, r6. q4 to q6: zero point and clamps.
#define THIMBLE_FOURS_SINGLE_PIXEL(FOURS, PART, SHIFT) \
  "push {r4, r5, r6, r7, r8, r9, r10, r11, lr}\n" \
      "vpush {d8, d9, d10, d11, d12, d13, d14, d15}\n" \
      "add r12, r0, #52\n" \
      "ldm r12, {r1, r2, r3, r4}\n" \
      "vdup.32 q4, r1\n" \
      "vdup.32 q5, r2\n" \
      "vdup.32 q6, r3\n" \
      "mov r3, r4\n" \
      "ldr r11, [r0]\n" \
      "ldr r8, [r0, #12]\n" \
      "ldr r9, [r0, #20]\n" \
      "ldr r5, [r0, #32]\n" \
      "ldr r7, [r0, #40]\n" \
      "sub r7, r9, r7\n" \
      "adr.w r1, 4f\n" \
      "ldr r8, [r1, r8, lsl #2]\n" \
      "add r8, r8, r1\n" \
      "1:\n" \
      "ldrd r0, r2, [r5], #8\n" \
      "ldrd r4, r6, [r5], #8\n" \
      "mov r1, r11\n" \
      "dlstp.8 lr, r3\n" \
      "2:\n" FOURS \
      "letp lr, 2b\n" PART \
      "vmov q0[2], q0[0], r0, r4\n" \
      "vmov q0[3], q0[1], r2, r6\n" SHIFT("q0") \
      THIMBLE_FOURS_CONSTANTS \
      "bx r8\n" \
      ".balign 4\n" \
      "4:\n" \
      ".word 11f - 4b + 1, 12f - 4b + 1, 13f - 4b + 1, 14f - 4b + 1\n" \
      "14:\n" \
      THIMBLE_FOURS_TO_EVEN("q0") \
      "b 6f\n" \
      "13:\n" \
      THIMBLE_FOURS_LEFT THIMBLE_FOURS_SHIFT_LEFT("q0") \
      THIMBLE_FOURS_RIGHT THIMBLE_FOURS_MULTIPLY("q0") THIMBLE_FOURS_AWAY_IF("q0") \
      "b 5f\n" \
      "12:\n" \
      THIMBLE_FOURS_MULTIPLY("q0") THIMBLE_FOURS_AWAY("q0") \
      "b 5f\n" \
      "11:\n" \
      THIMBLE_FOURS_MULTIPLY("q0") \
      "5:\n" \
      THIMBLE_FOURS_SHIFT("q0") \
      "6:\n" \
      "vqadd.s32 q0, q0, q4\n" \
      "vmax.s32 q0, q0, q5\n" \
      "vmin.s32 q0, q0, q6\n" \
      "vstrb.32 q0, [r7], #4\n" \
      "cmp r7, r9\n" \
      "bne 1b\n" \
      "vpop {d8, d9, d10, d11, d12, d13, d14, d15}\n" \
      "pop {r4, r5, r6, r7, r8, r9, r10, r11, pc}\n"

#define THIMBLE_FOURS_AS_THEY_ARE(q)

[[THIMBLE_NAKED]] inline void multiply_pixel_pairs_in_vectors(const FoursBlock&) noexcept {
  __asm__ volatile(
      THIMBLE_FOURS_PIXEL_PAIRS(THIMBLE_FOURS_OF_BYTES, "", THIMBLE_FOURS_AS_THEY_ARE));
}

[[THIMBLE_NAKED]] inline void multiply_single_pixel_in_vectors(const FoursBlock&) noexcept {
  __asm__ volatile(
      THIMBLE_FOURS_SINGLE_PIXEL(THIMBLE_FOURS_OF_BYTES_AT_ONE, "", THIMBLE_FOURS_AS_THEY_ARE));
}

#endif

#if !defined(THIMBLE_MVE_ASSEMBLY) || THIMBLE_PLAIN_FLOAT_SCALES

/// One sum, as the tail of the blocks takes it to int8.
inline int8_t finished(int32_t sum, int32_t multiplier, int32_t shift,
                       const FoursBlock& block) noexcept {
  if (block.rounding == FoursRounding::kToEven) {
    const int32_t scaled = times_float(sum, multiplier) + block.zero_point;
    return static_cast<int8_t>(limit(scaled, block.clamp_min, block.clamp_max));
  }
  const int32_t left = block.rounding == FoursRounding::kAny && shift > 0 ? shift : 0;
  const int32_t right = left > 0 ? 0 : -shift;
  int64_t product = doubling_high_multiply(shift_left(sum, left), multiplier);
  const bool away = block.rounding == FoursRounding::kAway ||
                    (block.rounding == FoursRounding::kAny && right > 0);
  if (away && product < 0) --product;
  const int64_t half = right > 0 ? int64_t{1} << (right - 1) : 0;
  const int64_t rounded = ((product + half) >> right) + block.zero_point;
  const int64_t least = block.clamp_min;
  const int64_t most = block.clamp_max;
  return static_cast<int8_t>(rounded < least ? least : rounded > most ? most : rounded);
}

/// Four channels of one pixel.
template <class Weights>
inline void multiply_fours(const FoursBlock& block, const int32_t* fours, const int8_t* x,
                           int8_t* out) noexcept {
  int32_t sums[4];
  Weights::add(block.inputs, fours, x, sums);
  const int32_t* const multipliers = fours + Weights::words(block.inputs) - 8;
  for (int32_t channel = 0; channel < 4; ++channel) {
    out[channel] = finished(sums[channel], multipliers[channel], multipliers[4 + channel], block);
  }
}

template <class Weights>
inline void multiply_single_pixel_plain(const FoursBlock& block) noexcept {
  const int32_t* fours = block.fours;
  for (int8_t* out = block.end - block.channels; out != block.end; out += 4) {
    multiply_fours<Weights>(block, fours, block.x_a, out);
    fours += Weights::words(block.inputs);
  }
}

template <class Weights>
inline void multiply_pixel_pairs_plain(const FoursBlock& block) noexcept {
  for (int32_t pair = 0; pair < block.pairs; ++pair) {
    const int32_t* fours = block.fours;
    int8_t* const end = block.end + pair * block.out_step;
    for (int8_t* out = end - block.channels; out != end; out += 4) {
      multiply_fours<Weights>(block, fours, block.x_a + pair * block.x_step, out);
      multiply_fours<Weights>(block, fours, block.x_b + pair * block.x_step, out + block.to_b + 4);
      fours += Weights::words(block.inputs);
    }
  }
}

#endif

/// A run of pairs of pixels, or pixel a alone. Weights: how they are held.
template <class Weights>
inline void multiply_fours(const FoursBlock& block) noexcept {
#if defined(THIMBLE_MVE_ASSEMBLY)
#if THIMBLE_PLAIN_FLOAT_SCALES
  if (block.rounding == FoursRounding::kToEven) {
    block.pairs > 0 ? multiply_pixel_pairs_plain<Weights>(block)
                    : multiply_single_pixel_plain<Weights>(block);
    return;
  }
#endif
  block.pairs > 0 ? Weights::multiply_pixel_pairs(block) : Weights::multiply_single_pixel(block);
#else
  block.pairs > 0 ? multiply_pixel_pairs_plain<Weights>(block)
                  : multiply_single_pixel_plain<Weights>(block);
#endif
}

/// Weights in 8 bits.
struct FoursOfBytes {
  static constexpr int32_t words(int32_t inputs) noexcept { return fours_words(inputs); }

  /// What the blocks make of the inputs of a pixel, before they requantise.
  static void add(int32_t inputs, const int32_t* fours, const int8_t* x, int32_t* sums) noexcept {
    const auto* const weights = reinterpret_cast<const int8_t*>(fours + 4);
    for (int32_t channel = 0; channel < 4; ++channel) {
      auto sum = static_cast<uint32_t>(fours[channel]);
      for (int32_t k = 0; k < inputs; ++k)
        sum += static_cast<uint32_t>(x[k] * weights[k / 16 * 64 + 16 * channel + k % 16]);
      sums[channel] = static_cast<int32_t>(sum);
    }
  }
#if defined(THIMBLE_MVE_ASSEMBLY)
  static void multiply_pixel_pairs(const FoursBlock& block) noexcept {
    multiply_pixel_pairs_in_vectors(block);
  }
  static void multiply_single_pixel(const FoursBlock& block) noexcept {
    multiply_single_pixel_in_vectors(block);
  }
#endif
};

}  // namespace thimble::runtime
