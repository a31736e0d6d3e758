// SPDX-License-Identifier: Apache-2.0
// The counter of an MPS2 board: CMSDK APB timer 0, 32 bits on the 25 MHz system clock.
#pragma once

#include <stdint.h>

namespace thimble_firmware {

/// Counts down. The register itself: a function call would be part of what it measures.
inline volatile uint32_t* const kCounter = reinterpret_cast<volatile uint32_t*>(0x40000004);

/// With QEMU's -icount shift=0 an instruction takes 1 ns of the board's time, a tick 40.
constexpr uint32_t kInstructionsPerTick = 40;

}  // namespace thimble_firmware
