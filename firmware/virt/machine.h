// SPDX-License-Identifier: Apache-2.0
// QEMU's RISC-V machine "virt" with a core of 32 bits.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace thimble_firmware {

/// The core counts its instructions itself: with QEMU's -icount shift=0 one a nanosecond.
constexpr uint32_t kInstructionsPerTick = 1;
constexpr size_t kGuardBytes = 512;

inline void start_counter() {}

/// Inlined: a call would be part of what it measures.
[[gnu::always_inline]] inline uint32_t read_counter() {
  uint32_t count = 0;
  asm volatile(
      ".option push\n\t"
      ".option arch, +zicsr\n\t"
      "csrr %0, minstret\n\t"
      ".option pop"
      : "=r"(count));
  return count;
}

/// No two reads are the same: none is waited for.
constexpr uint32_t kPollInstructions = 0;

constexpr uint32_t ticks_between(uint32_t begin, uint32_t end) { return end - begin; }

}  // namespace thimble_firmware
