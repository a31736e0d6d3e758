// SPDX-License-Identifier: Apache-2.0
// Weights whose first word says that all pairs of channels have the same constants
// (PairBlock::shared): what their blocks in assembly have beside those of pair_tails.h.
#pragma once

#include "pair_tails.h"

namespace thimble::runtime {

#if defined(THIMBLE_SIMD32_ASSEMBLY)

// At 72 on the stack these constants, and the tail behind what loads them: label 7 goes there.
#define THIMBLE_SHARED_STACK             \
  THIMBLE_IF(THIMBLE_USES_SHARED_SCALES) \
  ".set thimble_stack, 80\n"             \
  ".else\n"                              \
  ".set thimble_stack, 72\n"             \
  ".endif\n"                             \
  "sub sp, sp, #thimble_stack\n"
// The tail, which is in r7, if there are such; takes r6, the block is at 40.
#define THIMBLE_SHARED_TAIL                       \
  THIMBLE_IF(THIMBLE_USES_SHARED_SCALES)          \
  "ldr r6, [sp, #40]\n"                           \
  "ldr r6, [r6, #84]\n"                           \
  "cbz r6, 6f\n"                                  \
  "add r7, r7, #4\n" /* behind what loads them */ \
  "strd r6, r7, [sp, #72]\n"                      \
  "adr.w r7, 7f\n"                                \
  "add r7, r7, #1\n"                              \
  "6:\n"                                          \
  ".endif\n"
// Constants that all pairs have, and on with the tail.
#define THIMBLE_SHARED_SCALES \
  "7:\n" THIMBLE_IF(THIMBLE_USES_SHARED_SCALES)   \
  "ldrd r10, r11, [sp, #72]\n"                    \
  "ldm.w r10, {r2, r3, r4, r5, r8, r9}\n"         \
  "bx r11\n"                                      \
  ".endif\n"

#endif

}  // namespace thimble::runtime
