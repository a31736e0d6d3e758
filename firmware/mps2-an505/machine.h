// SPDX-License-Identifier: Apache-2.0
// The MPS2 board with the AN505 image (Cortex-M33), in the Secure state that it starts in.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace thimble_firmware {

constexpr uint32_t kTimerAddress = 0x50000000;
/// 20 MHz; with QEMU's -icount shift=0 an instruction takes 1 ns of the board's time.
constexpr uint32_t kInstructionsPerTick = 50;
constexpr size_t kGuardBytes = 512;

}  // namespace thimble_firmware

#include "cmsdk_timer.h"
