// SPDX-License-Identifier: Apache-2.0
#include "../portable/max_of_boxes.h"
#include "assembly.h"
#include "thimble_runtime/naked.h"

namespace thimble::runtime {
namespace {

// Sixteen channels at a time, the last ones by their lanes.
#if defined(THIMBLE_MVE_ASSEMBLY)

[[THIMBLE_NAKED]] void max_of_vectors(const MaxOfBox&) noexcept {
  __asm__ volatile(
      "push {r4, r5, r6, r7, r8, r9, r10, lr}\n"
      "ldrd r6, r7, [r0, #28]\n"
      "vdup.8 q2, r6\n"
      "vdup.8 q3, r7\n"
      "ldrd r7, r8, [r0, #20]\n"
      "ldm r0, {r1, r2, r3, r4, r5}\n"
      "1:\n"
      "vctp.8 r8\n"
      "vmov q0, q2\n"
      "mov r6, r1\n"
      "mov r10, r2\n"
      "2:\n"
      "dls lr, r3\n"
      "3:\n"
      "vpst\n"
      "vldrbt.u8 q1, [r6]\n"
      "add r6, r6, r5\n"
      "vmax.s8 q0, q0, q1\n"
      "le lr, 3b\n"
      "add r6, r6, r4\n"
      "subs r10, r10, #1\n"
      "bne 2b\n"
      "vmin.s8 q0, q0, q3\n"
      "vpst\n"
      "vstrbt.8 q0, [r7]\n"
      "add r7, r7, #16\n"
      "add r1, r1, #16\n"
      "subs r8, r8, #16\n"
      "bgt 1b\n"
      "pop {r4, r5, r6, r7, r8, r9, r10, pc}\n");
}

#else

void max_of_vectors(const MaxOfBox& b) noexcept {
  for (int32_t c = 0; c < b.channels; ++c) b.to[c] = max_of_channel(b, c);
}

#endif

}  // namespace

void max_pool_2d_mve(const Pool2DParams& p, const View& x, const View& out,
                     const Region& region) noexcept {
  max_of_boxes<max_of_vectors>(p, x, out, region);
}

}  // namespace thimble::runtime
