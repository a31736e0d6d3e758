// SPDX-License-Identifier: Apache-2.0
// The MPS2 board with the AN385 image (Cortex-M3).
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace thimble_firmware {

constexpr uint32_t kTimerAddress = 0x40000000;
/// 25 MHz; with QEMU's -icount shift=0 an instruction takes 1 ns of the board's time.
constexpr uint32_t kInstructionsPerTick = 40;
constexpr size_t kGuardBytes = 512;

}  // namespace thimble_firmware

#include "cmsdk_timer.h"
