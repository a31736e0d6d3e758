// SPDX-License-Identifier: Apache-2.0
// Float scales (kFloatShift) in assembly: portable/times_float.h, in registers.
#pragma once

#include "../portable/times_float.h"
#include "simd32.h"

#if defined(THIMBLE_SIMD32_ASSEMBLY)

#if defined(__ARM_FP) && (__ARM_FP & 4)

// The scales of two channels.
#define THIMBLE_SCALES(a, b) "vmov s2, s3, " a ", " b "\n"
#define THIMBLE_SCALE_OF_0 "s2"
#define THIMBLE_SCALE_IN_R12 "s2"
#define THIMBLE_SCALE_OF_1 "s3"
// The sum in s times a scale. free: a register that is kept by calls.
#define THIMBLE_TIMES_FLOAT(s, scale, free) \
  "vmov s0, " s                             \
  "\n"                                      \
  "vcvt.f32.s32 s0, s0\n"                   \
  "vmul.f32 s0, s0, " scale                 \
  "\n"                                      \
  "vcvtr.s32.f32 s0, s0\n"                  \
  "vmov " s ", s0\n"
// The sums in r2 and r3, or r2 to r5, times the scale in r12.
#define THIMBLE_EACH_OF_TWO(DO) DO("s0") DO("s1")
#define THIMBLE_EACH_OF_FOUR(DO) THIMBLE_EACH_OF_TWO(DO) DO("s2") DO("s3")
#define THIMBLE_TO_FLOAT(s) "vcvt.f32.s32 " s ", " s "\n"
#define THIMBLE_SCALED(s) "vmul.f32 " s ", " s ", s4\n"
#define THIMBLE_TO_WHOLE(s) "vcvtr.s32.f32 " s ", " s "\n"
#define THIMBLE_TWO_TIMES_FLOAT(free)                           \
  "vmov s4, r12\n"                                              \
  "vmov s0, s1, r2, r3\n" THIMBLE_EACH_OF_TWO(THIMBLE_TO_FLOAT) \
      THIMBLE_EACH_OF_TWO(THIMBLE_SCALED)                       \
          THIMBLE_EACH_OF_TWO(THIMBLE_TO_WHOLE) "vmov r2, r3, s0, s1\n"
#define THIMBLE_FOUR_TIMES_FLOAT(free) \
  "vmov s4, r12\n"                             \
  "vmov s0, s1, r2, r3\n"                      \
  "vmov s2, s3, r4, r5\n"                      \
  THIMBLE_EACH_OF_FOUR(THIMBLE_TO_FLOAT)       \
  THIMBLE_EACH_OF_FOUR(THIMBLE_SCALED)         \
  THIMBLE_EACH_OF_FOUR(THIMBLE_TO_WHOLE)       \
  "vmov r2, r3, s0, s1\n"                      \
  "vmov r4, r5, s2, s3\n"

#else

#if THIMBLE_USES_FLOAT_SCALES
/// times_float(), for the assembly to call.
extern "C" [[gnu::used]] inline int32_t thimble_times_float(int32_t x, int32_t bits) noexcept {
  return thimble::runtime::times_float(x, bits);
}
#define THIMBLE_CALL_TIMES_FLOAT "bl thimble_times_float\n"
#else
#define THIMBLE_CALL_TIMES_FLOAT
#endif

#define THIMBLE_SCALES(a, b)
#define THIMBLE_SCALE_OF_0 "r2"
#define THIMBLE_SCALE_OF_1 "r5"
#define THIMBLE_SCALE_IN_R12 "r12"
#define THIMBLE_TIMES_FLOAT(s, scale, free)                  \
  "push {r0, r1, r2, r3, r12, lr}\n"                         \
  "mov r0, " s                                               \
  "\n"                                                       \
  "mov r1, " scale "\n" THIMBLE_CALL_TIMES_FLOAT "mov " free \
  ", r0\n"                                                   \
  "pop {r0, r1, r2, r3, r12, lr}\n"                          \
  "mov " s ", " free "\n"
#define THIMBLE_TWO_TIMES_FLOAT(free) \
  THIMBLE_TIMES_FLOAT("r2", "r12", free) THIMBLE_TIMES_FLOAT("r3", "r12", free)
#define THIMBLE_FOUR_TIMES_FLOAT(free) \
  THIMBLE_TWO_TIMES_FLOAT(free)        \
  THIMBLE_TIMES_FLOAT("r4", "r12", free) THIMBLE_TIMES_FLOAT("r5", "r12", free)

#endif
#endif
