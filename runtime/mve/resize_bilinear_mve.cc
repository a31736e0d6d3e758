// SPDX-License-Identifier: Apache-2.0
#include "../portable/blend.h"
#include "assembly.h"
#include "thimble_runtime/naked.h"

namespace thimble::runtime {
namespace {

// Four channels at a time.
#if defined(THIMBLE_MVE_ASSEMBLY)

[[THIMBLE_NAKED]] void blend_vectors(const Blend&) noexcept {
  __asm__ volatile(
      "push {r4, r5, r6, r7, r8, r9, r10, lr}\n"
      "ldm r0, {r1, r2, r3, r4, r5, r6, r7, r8, r9, r10}\n"
      "dlstp.32 lr, r10\n"
      "1:\n"
      "vldrb.s32 q0, [r1], #4\n"
      "vmul.i32 q0, q0, r5\n"
      "vldrb.s32 q1, [r2], #4\n"
      "vmla.s32 q0, q1, r6\n"
      "vldrb.s32 q2, [r3], #4\n"
      "vmul.i32 q2, q2, r5\n"
      "vldrb.s32 q1, [r4], #4\n"
      "vmla.s32 q2, q1, r6\n"
      "vmul.i32 q0, q0, r8\n"
      "vmla.s32 q0, q2, r9\n"
      "vshr.s32 q1, q0, #31\n"
      "vadd.i32 q0, q0, q1\n"
      "vrshr.s32 q0, q0, #20\n"
      "vstrb.32 q0, [r7], #4\n"
      "letp lr, 1b\n"
      "pop {r4, r5, r6, r7, r8, r9, r10, pc}\n");
}

#else

void blend_vectors(const Blend& b) noexcept {
  for (int32_t c = 0; c < b.count; ++c) b.to[c] = blended(b, c);
}

#endif

}  // namespace

void resize_bilinear_mve(const ResizeBilinearParams& p, const View& x, const View& out,
                         const Region& region) noexcept {
  if (region.begin[3] == region.end[3]) return;
  each_blend(p, x, out, region, blend_vectors);
}

}  // namespace thimble::runtime
