// SPDX-License-Identifier: Apache-2.0
// Sums and products of two runs of int8, four elements at a time.
#pragma once

#include <stdint.h>

#include "../portable/fixed_point.h"
#include "bytes.h"
#include "thimble_runtime/naked.h"

namespace thimble::runtime {

/// What is left of a requantisation when its scale shifts to the right.
struct RightScale {
  int32_t multiplier, shift;  ///< the shift is negative
};

/// to = requantise(x * 2^19 + scaled((y - y_zero_point) * 2^20) + constant).
struct SumRun {
  const int8_t* x;
  const int8_t* y;
  int8_t* to;
  int32_t count;  ///< at least 1
  int32_t y_zero_point;
  RightScale y_scale;
  int32_t constant;
  RightScale scale;
  int32_t zero_point, clamp_min, clamp_max;
};

/// to = requantise((x - x_zero_point) * (y - y_zero_point)).
struct ProductRun {
  const int8_t* x;
  const int8_t* y;
  int8_t* to;
  int32_t count;  ///< at least 1
  int32_t x_zero_point, y_zero_point;
  RightScale scale;
  int32_t zero_point, clamp_min, clamp_max;
};

#if defined(THIMBLE_MVE_ASSEMBLY)

// q0 requantised by r9 and r10, r11 the zero point; q3 and q4 the clamps.
#define THIMBLE_RUN_FINISH    \
  "vqrdmulh.s32 q0, q0, r9\n" \
  "vshr.s32 q2, q0, #31\n"    \
  "vadd.i32 q0, q0, q2\n"     \
  "vrshl.s32 q0, r10\n"       \
  "vadd.i32 q0, q0, r11\n"    \
  "vmax.s32 q0, q0, q3\n"     \
  "vmin.s32 q0, q0, q4\n"     \
  "vstrb.32 q0, [r3], #4\n"   \
  "letp lr, 1b\n"             \
  "vpop {d8, d9}\n"           \
  "pop {r4, r5, r6, r7, r8, r9, r10, r11, pc}\n"

[[THIMBLE_NAKED]] inline void add_run(const SumRun&) noexcept {
  __asm__ volatile(
      "push {r4, r5, r6, r7, r8, r9, r10, r11, lr}\n"
      "vpush {d8, d9}\n"
      "ldrd r1, r2, [r0, #44]\n"
      "vdup.32 q3, r1\n"
      "vdup.32 q4, r2\n"
      "ldm r0, {r1, r2, r3, r4, r5, r6, r7, r8, r9, r10, r11}\n"
      "mov r12, #0x80000\n"
      "dlstp.32 lr, r4\n"
      "1:\n"
      "vldrb.s32 q1, [r2], #4\n"
      "vsub.i32 q1, q1, r5\n"
      "vshl.i32 q1, q1, #20\n"
      "vqrdmulh.s32 q1, q1, r6\n"
      "vshr.s32 q2, q1, #31\n"
      "vldrb.s32 q0, [r1], #4\n"
      "vadd.i32 q1, q1, q2\n"
      "vrshl.s32 q1, r7\n"
      "vmla.s32 q1, q0, r12\n"
      "vadd.i32 q0, q1, r8\n"  //
      THIMBLE_RUN_FINISH);
}

[[THIMBLE_NAKED]] inline void multiply_run(const ProductRun&) noexcept {
  __asm__ volatile(
      "push {r4, r5, r6, r7, r8, r9, r10, r11, lr}\n"
      "vpush {d8, d9}\n"
      "ldrd r1, r2, [r0, #36]\n"
      "vdup.32 q3, r1\n"
      "vdup.32 q4, r2\n"
      "ldrd r9, r10, [r0, #24]\n"
      "ldr r11, [r0, #32]\n"
      "ldm r0, {r1, r2, r3, r4, r5, r6}\n"
      "dlstp.32 lr, r4\n"
      "1:\n"
      "vldrb.s32 q0, [r1], #4\n"
      "vldrb.s32 q1, [r2], #4\n"
      "vsub.i32 q0, q0, r5\n"
      "vsub.i32 q1, q1, r6\n"
      "vmul.i32 q0, q0, q1\n"  //
      THIMBLE_RUN_FINISH);
}

#else

template <class Run>
inline int8_t finished(const Run& run, int32_t value) noexcept {
  const int32_t scaled = requantise(value, run.scale.multiplier, run.scale.shift);
  return static_cast<int8_t>(limit(scaled + run.zero_point, run.clamp_min, run.clamp_max));
}

inline void add_run(const SumRun& run) noexcept {
  for (int32_t k = 0; k < run.count; ++k) {
    const int32_t y = requantise((run.y[k] - run.y_zero_point) * (1 << 20), run.y_scale.multiplier,
                                 run.y_scale.shift);
    run.to[k] = finished(run, run.x[k] * (1 << 19) + y + run.constant);
  }
}

inline void multiply_run(const ProductRun& run) noexcept {
  for (int32_t k = 0; k < run.count; ++k)
    run.to[k] = finished(run, (run.x[k] - run.x_zero_point) * (run.y[k] - run.y_zero_point));
}

#endif

}  // namespace thimble::runtime
