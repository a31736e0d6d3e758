// SPDX-License-Identifier: Apache-2.0
// The MPS3 board with the AN547 image (Cortex-M55), in the Secure state that it starts in.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace thimble_firmware {

/// The COUNTER register of the board's FPGA I/O block, 20 MHz; with QEMU's -icount shift=0 an
/// instruction takes 1 ns of the board's time.
inline volatile uint32_t* const kCounter = reinterpret_cast<volatile uint32_t*>(0x59302018);
constexpr uint32_t kInstructionsPerTick = 50;
constexpr size_t kGuardBytes = 512;

inline void start_counter() {}  // it always counts

/// Inlined: a call would be part of what it measures.
[[gnu::always_inline]] inline uint32_t read_counter() { return *kCounter; }

/// Load, add, compare, branch.
constexpr uint32_t kPollInstructions = 4;

/// The register counts up.
constexpr uint32_t ticks_between(uint32_t begin, uint32_t end) { return end - begin; }

}  // namespace thimble_firmware
