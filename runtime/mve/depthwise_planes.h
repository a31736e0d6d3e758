// SPDX-License-Identifier: Apache-2.0
// Depthwise convolutions in MVE. Inputs lie in scratch channel by channel, in each column by column
// a few rows, so that a window is one run of bytes: with weights in the same order, and zeros
// where the run goes on, a window of up to 16 taps is one load and one sum of products.
#pragma once

#include <stdint.h>

#include "../portable/fixed_point.h"
#include "assembly.h"
#include "bytes.h"
#include "thimble_runtime/naked.h"

namespace thimble::runtime {

/// Columns side by side, of all channels, into planes.
struct DepthwiseColumns {
  const int8_t* from;  ///< channels are neighbours
  int8_t* to;
  int32_t columns;
  int32_t from_step, to_step;  ///< from one column to the next
  int32_t channels;
  int32_t pitch;  ///< bytes of a plane; seven of them fit 16 bits if there are more channels
};

/// Blocks of up to four outputs of channels whose planes follow one another: neighbours in a row,
/// or of up to three rows one below the other. Changed as they are computed.
struct PlaneBlocks {
  const int8_t* plane;    ///< the first window of the first channel
  int8_t* out;            ///< the first output of the first channel
  const int8_t* weights;  ///< vectors of 16, in the order of the window's run
  const int32_t* bias;
  const int32_t* multipliers;
  const int8_t* shifts;                           ///< all to the right, or float scales
  int32_t plane_pitch, out_pitch, weights_pitch;  ///< from one channel to the next
  int32_t channels;
  int32_t window_step;       ///< from one window of a row to the next
  int32_t block_step;        ///< from the outputs of a block to those of the next
  int32_t blocks;            ///< of four outputs, or one; of rows: columns
  int32_t x_back, out_back;  ///< from behind them to a block of the last four; 0: they end there
  int32_t lanes;             ///< outputs of each block
  int32_t zero_point, clamp_min, clamp_max;
  int32_t out_step;  ///< from one output of a block to the next
  int32_t rounding;  ///< ties up (0), away from zero (1); 2: float scales
  /// Blocks of rows: from the weights of the third one to those of the second, and so on. Their
  /// pitch is less by two of these. 0: outputs of one row
  int32_t weights_step;
};

#if defined(THIMBLE_MVE_ASSEMBLY)

// r1 from, r2 to, r3 columns, r4 and r5 their steps, r6 channels left, r7 the pitch; cursors r8,
// r9. Eight channels of all columns at a time.
[[THIMBLE_NAKED]] inline void pack_columns(const DepthwiseColumns&) noexcept {
  __asm__ volatile(
      "push {r4, r5, r6, r7, r8, lr}\n"
      "ldm r0, {r1, r2, r3, r4, r5, r6, r7}\n"
      "mov r0, #0\n"
      "vidup.u16 q1, r0, #1\n"
      "vmul.i16 q1, q1, r7\n"
      "1:\n"
      "vctp.16 r6\n"
      "mov r0, r1\n"
      "mov r8, r2\n"
      "dls lr, r3\n"
      "2:\n"
      "vpstt\n"
      "vldrbt.u16 q0, [r0]\n"
      "vstrbt.16 q0, [r8, q1]\n"
      "add r0, r0, r4\n"
      "add r8, r8, r5\n"
      "le lr, 2b\n"
      "add r1, r1, #8\n"
      "add r2, r2, r7, lsl #3\n"
      "subs r6, r6, #8\n"
      "bgt 1b\n"
      "pop {r4, r5, r6, r7, r8, pc}\n");
}

// r12 the struct, r1 the window, r3 window_step, r5 the output, r7, r8, r9 bias, multiplier and
// shift, r10 the zero point, r11 block_step, lr blocks left; sums r0, r2, r4, r6. q3 the outputs'
// places. Label 1 begins a channel, 2 four outputs. Z: the last four are still to come.
#define THIMBLE_DEPTHWISE_BEGIN                    \
  "push {r4, r5, r6, r7, r8, r9, r10, r11, lr}\n"  \
  "vpush {d8, d9, d10, d11, d12, d13, d14, d15}\n" \
  "mov r12, r0\n"                                  \
  "mov r0, #0\n"                                   \
  "vidup.u32 q3, r0, #1\n"                         \
  "ldr r1, [r12, #76]\n"                           \
  "vmul.i32 q3, q3, r1\n"                          \
  "ldrd r3, r11, [r12, #40]\n"                     \
  "ldrd r1, r10, [r12, #60]\n"                     \
  "vctp.32 r1\n"
#define THIMBLE_DEPTHWISE_CHANNEL(WEIGHTS) \
  "1:\n"                                   \
  "ldm r12, {r1, r5, r6, r7, r8, r9}\n"    \
  "ldrd r0, r2, [r12, #24]\n"              \
  "ldr r4, [r12, #32]\n" WEIGHTS           \
  "add r0, r0, r1\n"                       \
  "add r2, r2, r5\n"                       \
  "add r6, r6, r4\n"                       \
  "strd r0, r2, [r12]\n"                   \
  "ldr r0, [r7], #4\n"                     \
  "ldr r2, [r8], #4\n"                     \
  "ldrsb r4, [r9], #1\n"                   \
  "strd r6, r7, [r12, #8]\n"               \
  "strd r8, r9, [r12, #16]\n"              \
  "mov r7, r0\n"                           \
  "mov r8, r2\n"                           \
  "mov r9, r4\n"                           \
  "ldr lr, [r12, #48]\n"                   \
  "cmp r12, r12\n"                         \
  "2:\n"
#define THIMBLE_DEPTHWISE_SUMS  \
  "vmov q0[2], q0[0], r0, r4\n" \
  "vmov q0[3], q0[1], r2, r6\n" \
  "vadd.i32 q0, q0, r7\n"
// How they round.
#define THIMBLE_DEPTHWISE_up THIMBLE_DEPTHWISE_SUMS "vqrdmulh.s32 q0, q0, r8\nvrshl.s32 q0, r9\n"
#define THIMBLE_DEPTHWISE_away                  \
  THIMBLE_DEPTHWISE_SUMS                        \
  "vqrdmulh.s32 q0, q0, r8\n"                   \
  "vshr.s32 q1, q0, #31\nvadd.i32 q0, q0, q1\n" \
  "vrshl.s32 q0, r9\n"
#define THIMBLE_DEPTHWISE_to_even \
  THIMBLE_DEPTHWISE_SUMS          \
  "vcvt.f32.s32 q0, q0\n"         \
  "vmul.f32 q0, q0, r8\n"         \
  "vcvtn.s32.f32 q0, q0\n"
#define THIMBLE_DEPTHWISE_FINISH(LOW, HIGH)       \
  "vqadd.s32 q0, q0, r10\n" LOW HIGH              \
  "vpst\n"                                        \
  "vstrbt.32 q0, [r5, q3]\n"                      \
  "add r5, r5, r11\n"                             \
  "le lr, 2b\n"                                   \
  "bne 3f\n"                                      \
  "ldrd r0, r2, [r12, #52]\n"                     \
  "cmp r0, #0\n"                                  \
  "beq 3f\n"                                      \
  "add r1, r1, r0\n"                              \
  "add r5, r5, r2\n"                              \
  "mov lr, #1\n"                                  \
  "b 2b\n"                                        \
  "3:\n"                                          \
  "ldr r0, [r12, #36]\n"                          \
  "subs r0, r0, #1\n"                             \
  "str r0, [r12, #36]\n"                          \
  "bne.w 1b\n"                                    \
  "vpop {d8, d9, d10, d11, d12, d13, d14, d15}\n" \
  "pop {r4, r5, r6, r7, r8, r9, r10, r11, pc}\n"
#define THIMBLE_DEPTHWISE_CLAMPS \
  "ldrd r0, r1, [r12, #68]\n"    \
  "vdup.32 q6, r0\n"             \
  "vdup.32 q7, r1\n"
#define THIMBLE_DEPTHWISE_LOW "vmax.s32 q0, q0, q6\n"
#define THIMBLE_DEPTHWISE_HIGH "vmin.s32 q0, q0, q7\n"
// Where there are no vectors left for the clamps.
#define THIMBLE_DEPTHWISE_LOAD_LOW "ldr r0, [r12, #68]\nvdup.32 q1, r0\nvmax.s32 q0, q0, q1\n"
#define THIMBLE_DEPTHWISE_LOAD_HIGH "ldr r0, [r12, #72]\nvdup.32 q1, r0\nvmin.s32 q0, q0, q1\n"

#define THIMBLE_DEPTHWISE_WEIGHTS_1 "vldrb.8 q4, [r6]\n"
#define THIMBLE_DEPTHWISE_WINDOW_1(sum, data) \
  "vldrb.8 " data ", [r1]\nadd r1, r1, r3\nvmladav.s8 " sum ", " data ", q4\n"
#define THIMBLE_DEPTHWISE_WINDOWS_1      \
  THIMBLE_DEPTHWISE_WINDOW_1("r0", "q0") \
  THIMBLE_DEPTHWISE_WINDOW_1("r2", "q1") \
  THIMBLE_DEPTHWISE_WINDOW_1("r4", "q0") THIMBLE_DEPTHWISE_WINDOW_1("r6", "q1")
// Three rows of outputs: one load for three windows.
#define THIMBLE_DEPTHWISE_WEIGHTS_rows \
  "ldr lr, [r12, #84]\n"               \
  "vldrb.8 q6, [r6]\n"                 \
  "add r6, r6, lr\n"                   \
  "vldrb.8 q5, [r6]\n"                 \
  "add r6, r6, lr\n"                   \
  "vldrb.8 q4, [r6]\n"
#define THIMBLE_DEPTHWISE_WINDOWS_rows \
  "vldrb.8 q0, [r1]\n"                 \
  "add r1, r1, r3\n"                   \
  "vmladav.s8 r0, q0, q4\n"            \
  "vmladav.s8 r2, q0, q5\n"            \
  "vmladav.s8 r4, q0, q6\n"
#define THIMBLE_DEPTHWISE_CLAMPS_rows \
  "ldrd r0, r1, [r12, #68]\n"         \
  "vdup.32 q7, r0\n"                  \
  "vdup.32 q2, r1\n"
#define THIMBLE_DEPTHWISE_LOW_rows "vmax.s32 q0, q0, q7\n"
#define THIMBLE_DEPTHWISE_HIGH_rows "vmin.s32 q0, q0, q2\n"
#define THIMBLE_DEPTHWISE_WEIGHTS_2 THIMBLE_DEPTHWISE_WEIGHTS_1 "vldrb.8 q5, [r6, #16]\n"
#define THIMBLE_DEPTHWISE_WINDOW_2(sum)                      \
  "vldrb.8 q0, [r1]\nvldrb.8 q1, [r1, #16]\nvmladav.s8 " sum \
  ", q0, q4\n"                                               \
  "add r1, r1, r3\nvmladava.s8 " sum ", q1, q5\n"
#define THIMBLE_DEPTHWISE_WINDOWS_2 \
  THIMBLE_DEPTHWISE_WINDOW_2("r0")  \
  THIMBLE_DEPTHWISE_WINDOW_2("r2")  \
  THIMBLE_DEPTHWISE_WINDOW_2("r4")  \
  THIMBLE_DEPTHWISE_WINDOW_2(       \
      "r"                           \
      "6")
#define THIMBLE_DEPTHWISE_WEIGHTS_4 \
  THIMBLE_DEPTHWISE_WEIGHTS_2 "vldrb.8 q6, [r6, #32]\nvldrb.8 q7, [r6, #48]\n"
#define THIMBLE_DEPTHWISE_WINDOW_4(sum)                      \
  "vldrb.8 q0, [r1]\nvldrb.8 q1, [r1, #16]\nvmladav.s8 " sum \
  ", q0, q4\n"                                               \
  "vldrb.8 q0, [r1, #32]\nvmladava.s8 " sum                  \
  ", q1, q5\n"                                               \
  "vldrb.8 q1, [r1, #48]\nvmladava.s8 " sum                  \
  ", q0, q6\n"                                               \
  "add r1, r1, r3\nvmladava.s8 " sum ", q1, q7\n"
#define THIMBLE_DEPTHWISE_WINDOWS_4 \
  THIMBLE_DEPTHWISE_WINDOW_4("r0")  \
  THIMBLE_DEPTHWISE_WINDOW_4("r2")  \
  THIMBLE_DEPTHWISE_WINDOW_4("r4")  \
  THIMBLE_DEPTHWISE_WINDOW_4(       \
      "r"                           \
      "6")

// name, and the number of vectors; CLAMPS, LOW, HIGH: where clamps are.
#define THIMBLE_DEPTHWISE_ROW(name, vectors, rounding, CLAMPS, LOW, HIGH)                   \
  [[THIMBLE_NAKED]] inline void name##_##rounding(PlaneBlocks&) noexcept {                  \
    __asm__ volatile(THIMBLE_DEPTHWISE_BEGIN CLAMPS THIMBLE_DEPTHWISE_CHANNEL(              \
        THIMBLE_DEPTHWISE_WEIGHTS_##vectors) THIMBLE_DEPTHWISE_WINDOWS_##vectors            \
                         THIMBLE_DEPTHWISE_##rounding THIMBLE_DEPTHWISE_FINISH(LOW, HIGH)); \
  }
#define THIMBLE_DEPTHWISE_ROWS(rounding)                                                     \
  THIMBLE_DEPTHWISE_ROW(depthwise_row_1, 1, rounding, THIMBLE_DEPTHWISE_CLAMPS,              \
                        THIMBLE_DEPTHWISE_LOW, THIMBLE_DEPTHWISE_HIGH)                       \
  THIMBLE_DEPTHWISE_ROW(depthwise_row_2, 2, rounding, THIMBLE_DEPTHWISE_CLAMPS,              \
                        THIMBLE_DEPTHWISE_LOW, THIMBLE_DEPTHWISE_HIGH)                       \
  THIMBLE_DEPTHWISE_ROW(depthwise_row_4, 4, rounding, , THIMBLE_DEPTHWISE_LOAD_LOW,          \
                        THIMBLE_DEPTHWISE_LOAD_HIGH)                                         \
  THIMBLE_DEPTHWISE_ROW(depthwise_three_rows, rows, rounding, THIMBLE_DEPTHWISE_CLAMPS_rows, \
                        THIMBLE_DEPTHWISE_LOW_rows, THIMBLE_DEPTHWISE_HIGH_rows)             \
  inline void compute_blocks_##rounding(PlaneBlocks& blocks, int32_t vectors) noexcept {     \
    if (blocks.weights_step != 0) return depthwise_three_rows_##rounding(blocks);            \
    if (vectors == 1) return depthwise_row_1_##rounding(blocks);                             \
    vectors == 2 ? depthwise_row_2_##rounding(blocks) : depthwise_row_4_##rounding(blocks);  \
  }
THIMBLE_DEPTHWISE_ROWS(up)
THIMBLE_DEPTHWISE_ROWS(away)
#if THIMBLE_MVE_FLOAT_SCALES
THIMBLE_DEPTHWISE_ROWS(to_even)
#endif

#endif

#if !defined(THIMBLE_MVE_ASSEMBLY)

inline void pack_columns(const DepthwiseColumns& c) noexcept {
  for (int32_t k = 0; k < c.columns; ++k) {
    for (int32_t channel = 0; channel < c.channels; ++channel)
      c.to[k * c.to_step + channel * c.pitch] = c.from[k * c.from_step + channel];
  }
}

#endif

#if !defined(THIMBLE_MVE_ASSEMBLY) || THIMBLE_PLAIN_FLOAT_SCALES

/// One sum, as the blocks take it to int8.
inline int8_t finished(const PlaneBlocks& blocks, int32_t sum, int32_t channel) noexcept {
  if (blocks.rounding == 2) {
    const int32_t scaled = times_float(sum, blocks.multipliers[channel]) + blocks.zero_point;
    return static_cast<int8_t>(limit(scaled, blocks.clamp_min, blocks.clamp_max));
  }
  int32_t product = doubling_high_multiply(sum, blocks.multipliers[channel]);
  if (blocks.rounding == 1 && product < 0) --product;
  const int32_t right = -blocks.shifts[channel];
  const auto rounded =
      static_cast<int32_t>((int64_t{product} + (int64_t{1} << (right - 1))) >> right);
  return static_cast<int8_t>(
      limit(rounded + blocks.zero_point, blocks.clamp_min, blocks.clamp_max));
}

/// All windows of a block are read, `bytes` of each.
inline void compute_block(const PlaneBlocks& blocks, int32_t channel, const int8_t* x, int8_t* out,
                          int32_t bytes) noexcept {
  const int32_t step = blocks.weights_step;
  const int8_t* w = blocks.weights + channel * (blocks.weights_pitch + 2 * step) + 2 * step;
  for (int32_t lane = 0; lane < (step != 0 ? 3 : 4); ++lane, w -= step) {
    int32_t sum = blocks.bias[channel];
    for (int32_t k = 0; k < bytes; ++k) sum += x[k] * w[k];
    if (lane < blocks.lanes) out[lane * blocks.out_step] = finished(blocks, sum, channel);
    if (step == 0) x += blocks.window_step;
  }
}

inline void compute_blocks_plain(const PlaneBlocks& blocks, int32_t vectors) noexcept {
  const int32_t windows = blocks.weights_step != 0 ? 1 : 4;  // of a row in each block
  for (int32_t channel = 0; channel < blocks.channels; ++channel) {
    const int8_t* x = blocks.plane + channel * blocks.plane_pitch;
    int8_t* out = blocks.out + channel * blocks.out_pitch;
    for (int32_t block = 0; block < blocks.blocks; ++block) {
      compute_block(blocks, channel, x, out, 16 * vectors);
      x += windows * blocks.window_step;
      out += blocks.block_step;
    }
    if (blocks.x_back != 0)
      compute_block(blocks, channel, x + blocks.x_back, out + blocks.out_back, 16 * vectors);
  }
}

#endif

/// vectors: of a window, 1, 2 or 4; 1 for several rows.
inline void compute_blocks(PlaneBlocks& blocks, int32_t vectors) noexcept {
#if !defined(THIMBLE_MVE_ASSEMBLY)
  compute_blocks_plain(blocks, vectors);
#else
#if THIMBLE_MVE_FLOAT_SCALES
  if (blocks.rounding == 2) return compute_blocks_to_even(blocks, vectors);
#elif THIMBLE_PLAIN_FLOAT_SCALES
  if (blocks.rounding == 2) return compute_blocks_plain(blocks, vectors);
#endif
  blocks.rounding != 0 ? compute_blocks_away(blocks, vectors) : compute_blocks_up(blocks, vectors);
#endif
}

}  // namespace thimble::runtime
