// SPDX-License-Identifier: Apache-2.0
// Inner blocks of depthwise convolutions: four outputs of each channel, channel after channel, from
// scratch that holds neighbours in a row as pairs of int16, [channel][pair of columns][row]. In
// assembly where the core has these instructions, beside the same in C++.
#pragma once

#include "depthwise_block.h"
#include "times_float_dsp.h"

#if defined(THIMBLE_SIMD32_ASSEMBLY)

namespace thimble::runtime {

// r0 x, r1 constants, r2-r5 sums, r6-r11 weights, r12 and lr of x; the rest on the stack, in the
// order of DepthwiseBlocksInRow. A block computes the sums of a channel and, where no other tail is
// wanted, requantises them as ReluTail does: that is fastest, and saves code where layers differ.
// So where there is a tail the carry flag is set when a block begins, which no product changes.
#define THIMBLE_DEPTHWISE_STORE \
  "ldm sp, {r6-r11}\n"          \
  "strb r3, [r6, r7]\n"         \
  "strb r4, [r6, r8]\n"         \
  "strb r5, [r6, r9]\n"         \
  "strb r2, [r6], #1\n"         \
  "add r0, r0, r10\n"           \
  "str r6, [sp]\n"
#define THIMBLE_DEPTHWISE_STORE_TWO \
  "ldm sp, {r6-r11}\n"              \
  "strb r3, [r6, r7]\n"             \
  "strb r2, [r6], #1\n"             \
  "add r0, r0, r10\n"               \
  "str r6, [sp]\n"
// The registers, the stack, the first block. A carry: there is a tail.
#define THIMBLE_DEPTHWISE_RUN \
  "push {r4-r11, lr}\n"       \
  "add r1, r0, #40\n"         \
  "ldm r1, {r1-r11}\n"        \
  "push {r1-r11}\n"           \
  "ldm r0, {r0-r9}\n"         \
  "push {r2-r9}\n"            \
  "ldr r12, [sp, #52]\n"      \
  "cmp r12, #1\n"             \
  "ldr pc, [sp, #48]\n"
#define THIMBLE_DEPTHWISE_NEXT \
  "add r9, sp, #32\n"          \
  "ldm r9, {r1, r2, r3, r4}\n" \
  "add r0, r0, r2\n"           \
  "add r6, r6, r3\n"           \
  "str r6, [sp]\n"             \
  "ldr r12, [sp, #52]\n"       \
  "adds r4, r4, #1\n"          \
  "str r4, [sp, #44]\n"        \
  "beq 1f\n"                   \
  "cmp r12, #1\n"              \
  "ldr pc, [sp, #48]\n"        \
  "1:\n"                       \
  "add sp, sp, #76\n"          \
  "pop {r4-r11, pc}\n"
#define THIMBLE_DEPTHWISE_BLOCK_BEGIN \
  "1:\n"                              \
  "ldm r1!, {r5-r11}\n"
// The end of a tail: carry as the block wants it.
#define THIMBLE_DEPTHWISE_TAIL_END \
  "cmp r11, r1\n"                  \
  "beq 1f\n"                       \
  "ldr pc, [sp, #48]\n"            \
  "1:\n"                           \
  "ldr pc, [sp, #56]\n"

// 2 x 2 outputs, stride 1, of 4 rows and 2 pairs; A, B: offsets of the upper and lower two rows.
#define THIMBLE_DEPTHWISE_2X2(A, B, A2, B2) \
  "ldrd r12, lr, [r0, #" A                  \
  "]\n"                                     \
  "smlad r2, r12, r6, r5\n"                 \
  "smlatb r3, r12, r6, r5\n"                \
  "smlad r4, lr, r6, r5\n"                  \
  "smlatb r5, lr, r6, r5\n"                 \
  "smlad r2, lr, r8, r2\n"                  \
  "smlatb r3, lr, r8, r3\n"                 \
  "ldrd r12, lr, [r0, #" B                  \
  "]\n"                                     \
  "smlad r2, r12, r10, r2\n"                \
  "smlatb r3, r12, r10, r3\n"               \
  "smlad r4, r12, r8, r4\n"                 \
  "smlatb r5, r12, r8, r5\n"                \
  "smlad r4, lr, r10, r4\n"                 \
  "smlatb r5, lr, r10, r5\n"                \
  "ldrd r12, lr, [r0, #" A2                 \
  "]\n"                                     \
  "smlabt r2, r12, r7, r2\n"                \
  "smlad r3, r12, r7, r3\n"                 \
  "smlabt r4, lr, r7, r4\n"                 \
  "smlad r5, lr, r7, r5\n"                  \
  "smlabt r2, lr, r9, r2\n"                 \
  "smlad r3, lr, r9, r3\n"                  \
  "ldrd r12, lr, [r0, #" B2                 \
  "]\n"                                     \
  "smlabt r2, r12, r11, r2\n"               \
  "smlad r3, r12, r11, r3\n"                \
  "smlabt r4, r12, r9, r4\n"                \
  "smlad r5, r12, r9, r5\n"                 \
  "smlabt r4, lr, r11, r4\n"                \
  "smlad r5, lr, r11, r5\n"

// 2 x 1 outputs of the same.
#define THIMBLE_DEPTHWISE_2X1(A, B, A2, B2) \
  "ldrd r12, lr, [r0, #" A                  \
  "]\n"                                     \
  "smlad r2, r12, r6, r5\n"                 \
  "smlad r3, lr, r6, r5\n"                  \
  "smlad r2, lr, r8, r2\n"                  \
  "ldrd r12, lr, [r0, #" B                  \
  "]\n"                                     \
  "smlad r2, r12, r10, r2\n"                \
  "smlad r3, r12, r8, r3\n"                 \
  "smlad r3, lr, r10, r3\n"                 \
  "ldrd r12, lr, [r0, #" A2                 \
  "]\n"                                     \
  "smlabt r2, r12, r7, r2\n"                \
  "smlabt r3, lr, r7, r3\n"                 \
  "smlabt r2, lr, r9, r2\n"                 \
  "ldrd r12, lr, [r0, #" B2                 \
  "]\n"                                     \
  "smlabt r2, r12, r11, r2\n"               \
  "smlabt r3, r12, r9, r3\n"                \
  "smlabt r3, lr, r11, r3\n"

// 1 x 4 outputs, stride 1, of 3 rows and 3 pairs. W0 and W2: weights of a row.
#define THIMBLE_DEPTHWISE_S1_FIRST(X, W0) \
  "smlad r2, " X ", " W0                  \
  ", r2\n"                                \
  "smlatb r3, " X ", " W0 ", r3\n"
#define THIMBLE_DEPTHWISE_S1_MIDDLE(X, W0, W2) \
  "smlabt r2, " X ", " W2                      \
  ", r2\n"                                     \
  "smlad r3, " X ", " W2                       \
  ", r3\n"                                     \
  "smlad r4, " X ", " W0                       \
  ", r4\n"                                     \
  "smlatb r5, " X ", " W0 ", r5\n"
#define THIMBLE_DEPTHWISE_S1_LAST(X, W2) \
  "smlabt r4, " X ", " W2                \
  ", r4\n"                               \
  "smlad r5, " X ", " W2 ", r5\n"
#define THIMBLE_DEPTHWISE_1X4 \
  "ldrd r12, lr, [r0]\n"                                        \
  "smlad r2, r12, r6, r5\n"                                     \
  "smlatb r3, r12, r6, r5\n"                                    \
  THIMBLE_DEPTHWISE_S1_FIRST("lr", "r8")                                  \
  "ldrd r12, lr, [r0, #8]\n"                                    \
  THIMBLE_DEPTHWISE_S1_FIRST("r12", "r10")                                \
  "smlabt r2, lr, r7, r2\n"                                     \
  "smlad r3, lr, r7, r3\n"                                      \
  "smlad r4, lr, r6, r5\n"                                      \
  "smlatb r5, lr, r6, r5\n"                                     \
  "ldrd r12, lr, [r0, #16]\n"                                   \
  THIMBLE_DEPTHWISE_S1_MIDDLE("r12", "r8", "r9")                          \
  THIMBLE_DEPTHWISE_S1_MIDDLE("lr", "r10", "r11")                         \
  "ldrd r12, lr, [r0, #24]\n"                                   \
  THIMBLE_DEPTHWISE_S1_LAST("r12", "r7")                                  \
  THIMBLE_DEPTHWISE_S1_LAST("lr", "r9")                                   \
  "ldr r12, [r0, #32]\n"                                        \
  THIMBLE_DEPTHWISE_S1_LAST("r12", "r11")

// 1 x 2 outputs of the same.
#define THIMBLE_DEPTHWISE_S1_LAST_TWO(X, W2) \
  "smlabt r2, " X ", " W2                    \
  ", r2\n"                                   \
  "smlad r3, " X ", " W2 ", r3\n"
#define THIMBLE_DEPTHWISE_1X2                                                                \
  "ldrd r12, lr, [r0]\n"                                                                     \
  "smlad r2, r12, r6, r5\n"                                                                  \
  "smlatb r3, r12, r6, r5\n" THIMBLE_DEPTHWISE_S1_FIRST(                                     \
      "lr", "r8") "ldrd r12, lr, [r0, #8]\n" THIMBLE_DEPTHWISE_S1_FIRST("r12", "r10")        \
      THIMBLE_DEPTHWISE_S1_LAST_TWO(                                                         \
          "lr", "r7") "ldrd r12, lr, [r0, #16]\n" THIMBLE_DEPTHWISE_S1_LAST_TWO("r12", "r9") \
          THIMBLE_DEPTHWISE_S1_LAST_TWO("lr", "r11")

// 1 x 4 outputs, stride 2, of 3 rows and 5 pairs. P0, P2, Q0, ...: weights of the rows as scratch
// has them.
#define THIMBLE_DEPTHWISE_S2_NEXT(X, W0, W2, A, B) \
  "smlabt " A ", " X ", " W2 ", " A                \
  "\n"                                             \
  "smlad " B ", " X ", " W0 ", " B "\n"
#define THIMBLE_DEPTHWISE_1X4_S2(P0, P2, Q0, Q2, R0, R2) \
  "ldrd r12, lr, [r0]\n"                                        \
  "smlad r2, r12, " P0 ", r5\n"                                 \
  "smlad r2, lr, " Q0 ", r2\n"                                  \
  "ldrd r12, lr, [r0, #8]\n"                                    \
  "smlad r2, r12, " R0 ", r2\n"                                 \
  "smlabt r2, lr, " P2 ", r2\n"                                 \
  "smlad r3, lr, " P0 ", r5\n"                                  \
  "ldrd r12, lr, [r0, #16]\n"                                   \
  THIMBLE_DEPTHWISE_S2_NEXT("r12", Q0, Q2, "r2", "r3")                    \
  THIMBLE_DEPTHWISE_S2_NEXT("lr", R0, R2, "r2", "r3")                     \
  "ldrd r12, lr, [r0, #24]\n"                                   \
  "smlabt r3, r12, " P2 ", r3\n"                                \
  "smlad r4, r12, " P0 ", r5\n"                                 \
  THIMBLE_DEPTHWISE_S2_NEXT("lr", Q0, Q2, "r3", "r4")                     \
  "ldrd r12, lr, [r0, #32]\n"                                   \
  THIMBLE_DEPTHWISE_S2_NEXT("r12", R0, R2, "r3", "r4")                    \
  THIMBLE_DEPTHWISE_S2_NEXT("lr", P0, P2, "r4", "r5")                     \
  "ldrd r12, lr, [r0, #40]\n"                                   \
  THIMBLE_DEPTHWISE_S2_NEXT("r12", Q0, Q2, "r4", "r5")                    \
  THIMBLE_DEPTHWISE_S2_NEXT("lr", R0, R2, "r4", "r5")                     \
  "ldrd r12, lr, [r0, #48]\n"                                   \
  "smlabt r5, r12, " P2 ", r5\n"                                \
  "smlabt r5, lr, " Q2 ", r5\n"                                 \
  "ldr r12, [r0, #56]\n"                                        \
  "smlabt r5, r12, " R2 ", r5\n"

// 1 x 2 outputs of the same.
#define THIMBLE_DEPTHWISE_1X2_S2(P0, P2, Q0, Q2, R0, R2) \
  "ldrd r12, lr, [r0]\n"                                        \
  "smlad r2, r12, " P0 ", r5\n"                                 \
  "smlad r2, lr, " Q0 ", r2\n"                                  \
  "ldrd r12, lr, [r0, #8]\n"                                    \
  "smlad r2, r12, " R0 ", r2\n"                                 \
  "smlabt r2, lr, " P2 ", r2\n"                                 \
  "smlad r3, lr, " P0 ", r5\n"                                  \
  "ldrd r12, lr, [r0, #16]\n"                                   \
  THIMBLE_DEPTHWISE_S2_NEXT("r12", Q0, Q2, "r2", "r3")                    \
  THIMBLE_DEPTHWISE_S2_NEXT("lr", R0, R2, "r2", "r3")                     \
  "ldrd r12, lr, [r0, #24]\n"                                   \
  "smlabt r3, r12, " P2 ", r3\n"                                \
  "smlabt r3, lr, " Q2 ", r3\n"                                 \
  "ldr r12, [r0, #32]\n"                                        \
  "smlabt r3, r12, " R2 ", r3\n"

// Four windows of any size. The carry is lost.
#define THIMBLE_DEPTHWISE_ANY \
  "1:\n"                      \
  "add r5, sp, #60\n"         \
  "ldm r5, {r2-r5}\n"         \
  "ldr r6, [r1], #4\n"        \
  "push {r0}\n"               \
  "add r2, r1, r2, lsl #2\n"  \
  "add r3, r0, r3\n"          \
  "add r4, r0, r4\n"          \
  "add r5, r0, r5\n"          \
  "mov r7, r6\n"              \
  "mov r8, r6\n"              \
  "mov r9, r6\n"              \
  "2:\n"                      \
  "ldrd r10, r11, [r1], #8\n" \
  "ldrd r12, lr, [r0], #8\n"  \
  "smlad r6, r12, r10, r6\n"  \
  "smlad r6, lr, r11, r6\n"   \
  "ldrd r12, lr, [r3], #8\n"  \
  "smlad r7, r12, r10, r7\n"  \
  "smlad r7, lr, r11, r7\n"   \
  "ldrd r12, lr, [r4], #8\n"  \
  "smlad r8, r12, r10, r8\n"  \
  "smlad r8, lr, r11, r8\n"   \
  "ldrd r12, lr, [r5], #8\n"  \
  "smlad r9, r12, r10, r9\n"  \
  "smlad r9, lr, r11, r9\n"   \
  "cmp r1, r2\n"              \
  "bne 2b\n"                  \
  "pop {r0}\n"                \
  "ldr r12, [sp, #52]\n"      \
  "mov r2, r6\n"              \
  "mov r3, r7\n"              \
  "mov r4, r8\n"              \
  "mov r5, r9\n"              \
  "cmp r12, #1\n"

// Four channels of a pixel: r0 what is given, r1 constants, r2-r5 sums, the rest for inputs and
// weights. CHANNEL: bytes of a channel's constants; ROW: of the taps of a row.
#define THIMBLE_DEPTHWISE_PIXEL_ROW(ROW, CHANNEL, WEIGHTS) \
  "add r12, r0, #" ROW                                     \
  "\n"                                                     \
  "ldm r12, {r6, r7, r8}\n"                                \
  "ldr r9, [r6], #4\n"                                     \
  "ldr r10, [r7], #4\n"                                    \
  "ldr r11, [r8], #4\n"                                    \
  "stm r12, {r6, r7, r8}\n"                                \
  "pkhbt r6, r9, r10, lsl #16\n"                           \
  "pkhtb r7, r10, r9, asr #16\n"                           \
  "sxtb16 r8, r6\n"                                        \
  "sxtb16 r6, r6, ror #8\n"                                \
  "sxtb16 r9, r7\n"                                        \
  "sxtb16 r7, r7, ror #8\n"                                \
  "sxtb16 r10, r11\n"                                      \
  "sxtb16 r11, r11, ror #8\n"                              \
  "ldrd r12, lr, [r1, #" WEIGHTS                           \
  "]\n"                                                    \
  "smlad r2, r8, r12, r2\n"                                \
  "smlabt r2, r10, lr, r2\n"                               \
  "ldrd r12, lr, [r1, #" WEIGHTS "+" CHANNEL               \
  "]\n"                                                    \
  "smlad r3, r6, r12, r3\n"                                \
  "smlabt r3, r11, lr, r3\n"                               \
  "ldrd r12, lr, [r1, #" WEIGHTS "+2*" CHANNEL             \
  "]\n"                                                    \
  "smlad r4, r9, r12, r4\n"                                \
  "smlatt r4, r10, lr, r4\n"                               \
  "ldrd r12, lr, [r1, #" WEIGHTS "+3*" CHANNEL             \
  "]\n"                                                    \
  "smlad r5, r7, r12, r5\n"                                \
  "smlatt r5, r11, lr, r5\n"
#define THIMBLE_DEPTHWISE_PIXEL(CHANNEL, LOAD, TAIL)                                             \
  "push {r4-r11, lr}\n"                                                                          \
  "ldr r1, [r0, #36]\n"                                                                          \
  "1:\n"                                                                                         \
  "ldr r2, [r1]\n"                                                                               \
  "ldr r3, [r1, #" CHANNEL                                                                       \
  "]\n"                                                                                          \
  "ldr r4, [r1, #2*" CHANNEL                                                                     \
  "]\n"                                                                                          \
  "ldr r5, [r1, #3*" CHANNEL "]\n" THIMBLE_DEPTHWISE_PIXEL_ROW("0", CHANNEL, "4")                \
      THIMBLE_DEPTHWISE_PIXEL_ROW("12", CHANNEL, "12")                                           \
          THIMBLE_DEPTHWISE_PIXEL_ROW("24", CHANNEL, "20") "ldrd r8, r9, [r0, #52]\n" LOAD("28") \
              TAIL("r2") LOAD("28+" CHANNEL) TAIL("r3") LOAD("28+2*" CHANNEL) TAIL("r4")         \
                  LOAD("28+3*" CHANNEL) TAIL("r5") "add r1, r1, #4*" CHANNEL                     \
                                                   "\n"                                          \
                                                   "add r12, r0, #40\n"                          \
                                                   "ldm r12, {r10, r11, lr}\n"                   \
                                                   "add r6, r11, r11, lsl #1\n"                  \
                                                   "strb r2, [r10]\n"                            \
                                                   "strb r3, [r10, r11]\n"                       \
                                                   "strb r4, [r10, r11, lsl #1]\n"               \
                                                   "strb r5, [r10, r6]\n"                        \
                                                   "add r10, r10, r11, lsl #2\n"                 \
                                                   "subs lr, lr, #1\n"                           \
                                                   "stm r12, {r10, r11, lr}\n"                   \
                                                   "bne 1b\n"                                    \
                                                   "str r1, [r0, #36]\n"                         \
                                                   "pop {r4-r11, pc}\n"
#define THIMBLE_DEPTHWISE_PIXEL_TWO(AT) "ldrd r12, lr, [r1, #" AT "]\n"
#define THIMBLE_DEPTHWISE_PIXEL_THREE(AT) "ldr r6, [r1, #" AT "]\nldrd r12, lr, [r1, #4+" AT "]\n"
#define THIMBLE_DEPTHWISE_PIXEL_BLOCK(CHANNEL, LOAD, TAIL)                    \
  [[gnu::naked, gnu::noinline]] static void pixel(DepthwisePixel*) noexcept { \
    asm volatile(THIMBLE_DEPTHWISE_PIXEL(CHANNEL, LOAD, TAIL));               \
  }

#define THIMBLE_DEPTHWISE_RELU(R) \
  "smmla " R ", " R               \
  ", r12, lr\n"                   \
  "ssat " R ", #8, " R ", asr #11\n"
#define THIMBLE_DEPTHWISE_SHIFTED(R) \
  "smmlar " R ", " R                 \
  ", r12, lr\n"                      \
  "asr " R ", " R                    \
  ", r6\n"                           \
  "ssat " R ", #8, " R "\n"
#define THIMBLE_DEPTHWISE_CLAMPED(R) \
  "add r7, lr, " R                   \
  ", asr #31\n"                      \
  "smmlar " R ", " R                 \
  ", r12, r7\n"                      \
  "asr " R ", " R                    \
  ", r6\n"                           \
  "usat " R ", #8, " R               \
  "\n"                               \
  "uqadd8 " R ", " R                 \
  ", r8\n"                           \
  "add " R ", " R ", r9\n"
#define THIMBLE_DEPTHWISE_FROM(R) \
  "add " R ", " R                 \
  ", lr\n"                        \
  "usat " R ", #8, " R            \
  "\n"                            \
  "uqadd8 " R ", " R              \
  ", r8\n"                        \
  "add " R ", " R ", r9\n"
#define THIMBLE_DEPTHWISE_TWO(TAIL) TAIL("r2") TAIL("r3")
#define THIMBLE_DEPTHWISE_FOUR(TAIL) TAIL("r2") TAIL("r3") TAIL("r4") TAIL("r5")

#define THIMBLE_DEPTHWISE_CODE(NAME, CODE)                                               \
  [[gnu::naked, gnu::noinline]] static void NAME(const DepthwiseBlocksInRow*) noexcept { \
    asm volatile(CODE);                                                                  \
  }
// A block with the tail of a ReLU.
#define THIMBLE_DEPTHWISE_BLOCK(NAME, BODY, OUTPUTS, STORE)                           \
  THIMBLE_DEPTHWISE_CODE(NAME, BODY                                                   \
                         "bhs 2f\n"                                                   \
                         "ldm r1!, {r12, lr}\n" OUTPUTS(THIMBLE_DEPTHWISE_RELU) STORE \
                         "cmp r1, r11\n"                                              \
                         "bne 1b\n"                                                   \
                         "ldr pc, [sp, #56]\n"                                        \
                         "2:\n"                                                       \
                         "ldr pc, [sp, #52]\n")
#define THIMBLE_DEPTHWISE_3X3(NAME, BODY)                                                   \
  THIMBLE_DEPTHWISE_BLOCK(NAME, THIMBLE_DEPTHWISE_BLOCK_BEGIN BODY, THIMBLE_DEPTHWISE_FOUR, \
                          THIMBLE_DEPTHWISE_STORE)
#define THIMBLE_DEPTHWISE_3X3_TWO(NAME, BODY)                                              \
  THIMBLE_DEPTHWISE_BLOCK(NAME, THIMBLE_DEPTHWISE_BLOCK_BEGIN BODY, THIMBLE_DEPTHWISE_TWO, \
                          THIMBLE_DEPTHWISE_STORE_TWO)

struct DepthwiseBlocks {
  THIMBLE_DEPTHWISE_CODE(run, THIMBLE_DEPTHWISE_RUN)
  THIMBLE_DEPTHWISE_CODE(next, THIMBLE_DEPTHWISE_NEXT)
  THIMBLE_DEPTHWISE_3X3(rows_0, THIMBLE_DEPTHWISE_2X2("0", "8", "16", "24"))
  THIMBLE_DEPTHWISE_3X3(rows_2, THIMBLE_DEPTHWISE_2X2("8", "0", "24", "16"))
  THIMBLE_DEPTHWISE_3X3_TWO(column_0, THIMBLE_DEPTHWISE_2X1("0", "8", "16", "24"))
  THIMBLE_DEPTHWISE_3X3_TWO(column_2, THIMBLE_DEPTHWISE_2X1("8", "0", "24", "16"))
  THIMBLE_DEPTHWISE_3X3(row, THIMBLE_DEPTHWISE_1X4)
  THIMBLE_DEPTHWISE_3X3_TWO(row_of_two, THIMBLE_DEPTHWISE_1X2)
  THIMBLE_DEPTHWISE_3X3(stride_2_0, THIMBLE_DEPTHWISE_1X4_S2("r6", "r7", "r8", "r9", "r10", "r11"))
  THIMBLE_DEPTHWISE_3X3(stride_2_1, THIMBLE_DEPTHWISE_1X4_S2("r10", "r11", "r6", "r7", "r8", "r9"))
  THIMBLE_DEPTHWISE_3X3(stride_2_2, THIMBLE_DEPTHWISE_1X4_S2("r8", "r9", "r10", "r11", "r6", "r7"))
  THIMBLE_DEPTHWISE_3X3_TWO(two_of_stride_2_0,
                            THIMBLE_DEPTHWISE_1X2_S2("r6", "r7", "r8", "r9", "r10", "r11"))
  THIMBLE_DEPTHWISE_3X3_TWO(two_of_stride_2_1,
                            THIMBLE_DEPTHWISE_1X2_S2("r10", "r11", "r6", "r7", "r8", "r9"))
  THIMBLE_DEPTHWISE_3X3_TWO(two_of_stride_2_2,
                            THIMBLE_DEPTHWISE_1X2_S2("r8", "r9", "r10", "r11", "r6", "r7"))
  THIMBLE_DEPTHWISE_BLOCK(any, THIMBLE_DEPTHWISE_ANY, THIMBLE_DEPTHWISE_FOUR,
                          THIMBLE_DEPTHWISE_STORE)
};

inline void run_blocks(const DepthwiseBlocksInRow& b) noexcept { DepthwiseBlocks::run(&b); }

#define THIMBLE_DEPTHWISE_TAILS(LOAD, TAIL)                                                  \
  THIMBLE_DEPTHWISE_CODE(of_four, LOAD THIMBLE_DEPTHWISE_FOUR(TAIL)                          \
                                      THIMBLE_DEPTHWISE_STORE THIMBLE_DEPTHWISE_TAIL_END)    \
  THIMBLE_DEPTHWISE_CODE(of_two, LOAD THIMBLE_DEPTHWISE_TWO(TAIL)                            \
                                     THIMBLE_DEPTHWISE_STORE_TWO THIMBLE_DEPTHWISE_TAIL_END) \
  THIMBLE_DEPTHWISE_PIXEL_BLOCK("40", THIMBLE_DEPTHWISE_PIXEL_THREE, TAIL)

// Float scales: four outputs, two, or those of four channels.
#define THIMBLE_DEPTHWISE_FLOAT_LOAD \
  "ldm r1!, {r6, r12, lr}\n"         \
  "ldrd r8, r9, [sp, #24]\n"
#define THIMBLE_DEPTHWISE_FLOAT_FOUR                          \
  THIMBLE_DEPTHWISE_FLOAT_LOAD THIMBLE_FOUR_TIMES_FLOAT("r6") \
      THIMBLE_DEPTHWISE_FOUR(THIMBLE_DEPTHWISE_FROM)          \
          THIMBLE_DEPTHWISE_STORE THIMBLE_DEPTHWISE_TAIL_END
#define THIMBLE_DEPTHWISE_FLOAT_TWO                          \
  THIMBLE_DEPTHWISE_FLOAT_LOAD THIMBLE_TWO_TIMES_FLOAT("r6") \
      THIMBLE_DEPTHWISE_TWO(THIMBLE_DEPTHWISE_FROM)          \
          THIMBLE_DEPTHWISE_STORE_TWO THIMBLE_DEPTHWISE_TAIL_END
#define THIMBLE_DEPTHWISE_FLOAT(R) \
  THIMBLE_SCALES("r12", "lr")      \
  THIMBLE_TIMES_FLOAT(R, THIMBLE_SCALE_IN_R12, "r6") THIMBLE_DEPTHWISE_FROM(R)

template <class Tail>
struct DepthwiseTailCode;
template <>
struct DepthwiseTailCode<ReluTail> {
  static constexpr DepthwiseCode of_four = nullptr, of_two = nullptr;
  THIMBLE_DEPTHWISE_PIXEL_BLOCK("36", THIMBLE_DEPTHWISE_PIXEL_TWO, THIMBLE_DEPTHWISE_RELU)
};
template <>
struct DepthwiseTailCode<ShiftedTail> {
  THIMBLE_DEPTHWISE_TAILS("ldm r1!, {r6, r12, lr}\n", THIMBLE_DEPTHWISE_SHIFTED)
};
template <>
struct DepthwiseTailCode<ClampedTail> {
  THIMBLE_DEPTHWISE_TAILS(
      "ldm r1!, {r6, r12, lr}\n"
      "ldrd r8, r9, [sp, #24]\n",
      THIMBLE_DEPTHWISE_CLAMPED)
};
template <>
struct DepthwiseTailCode<ToEvenTail> {
  THIMBLE_DEPTHWISE_CODE(of_four, THIMBLE_DEPTHWISE_FLOAT_FOUR)
  THIMBLE_DEPTHWISE_CODE(of_two, THIMBLE_DEPTHWISE_FLOAT_TWO)
  THIMBLE_DEPTHWISE_PIXEL_BLOCK("40", THIMBLE_DEPTHWISE_PIXEL_THREE, THIMBLE_DEPTHWISE_FLOAT)
};

}  // namespace thimble::runtime

#else
#include "depthwise_blocks_plain.h"
#endif

namespace thimble::runtime {

/// A block, if it is used.
constexpr DepthwiseCode used(bool it_is, DepthwiseCode code) noexcept {
  return it_is ? code : nullptr;
}
inline constexpr bool kStride1Blocks = THIMBLE_USES_DEPTHWISE_STRIDE_1;
inline constexpr bool kStride2Blocks = THIMBLE_USES_DEPTHWISE_STRIDE_2;
inline constexpr bool kRowBlocks = kStride1Blocks && THIMBLE_USES_DEPTHWISE_STRIPS;
inline constexpr DepthwiseBlockTable kDepthwiseBlocks{
    {used(kStride1Blocks, DepthwiseBlocks::rows_0), used(kStride1Blocks, DepthwiseBlocks::rows_2)},
    {used(kStride1Blocks, DepthwiseBlocks::column_0),
     used(kStride1Blocks, DepthwiseBlocks::column_2)},
    {used(kRowBlocks, DepthwiseBlocks::row)},
    {used(kRowBlocks, DepthwiseBlocks::row_of_two)},
    {used(kStride2Blocks, DepthwiseBlocks::stride_2_0),
     used(kStride2Blocks, DepthwiseBlocks::stride_2_1),
     used(kStride2Blocks, DepthwiseBlocks::stride_2_2)},
    {used(kStride2Blocks, DepthwiseBlocks::two_of_stride_2_0),
     used(kStride2Blocks, DepthwiseBlocks::two_of_stride_2_1),
     used(kStride2Blocks, DepthwiseBlocks::two_of_stride_2_2)},
    used(THIMBLE_USES_DEPTHWISE_ANY, DepthwiseBlocks::any),
    DepthwiseBlocks::next};

template <class Tail>
constexpr DepthwiseTailInfo kDepthwiseTail{Tail::kConstants, DepthwiseTailCode<Tail>::of_four,
                                           DepthwiseTailCode<Tail>::of_two, Tail::finish};
template <class Tail>
constexpr DepthwisePixelTail kDepthwisePixelTail{
    kDepthwiseTail<Tail>, THIMBLE_USES_DEPTHWISE_PIXELS ? DepthwiseTailCode<Tail>::pixel : nullptr};

}  // namespace thimble::runtime
