// SPDX-License-Identifier: Apache-2.0
// The Stellaris LM3S6965 evaluation board (Cortex-M3, 256 KB of flash, 64 KB of SRAM, a slot for an
// SD card).
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace thimble_firmware {

/// The clock after reset, which nobody changes: 12.5 MHz, as QEMU has it; with -icount shift=0 an
/// instruction takes 1 ns of the board's time.
constexpr uint32_t kInstructionsPerTick = 80;
constexpr size_t kGuardBytes = 64;  // there is little memory

/// A register of SysTick: QEMU's timers of this chip cannot be read.
[[gnu::always_inline]] inline volatile uint32_t& systick(uint32_t offset) {
  return *reinterpret_cast<volatile uint32_t*>(0xE000E010 + offset);
}
constexpr uint32_t kSystickBits = 0xFFFFFF;

inline void start_counter() {
  systick(4) = kSystickBits;  // reload
  systick(8) = 0;             // the value becomes that
  systick(0) = 5;             // counts the core's clock, without interrupts
}

/// Inlined: a call would be part of what it measures.
[[gnu::always_inline]] inline uint32_t read_counter() { return systick(8); }

/// Load, add, compare, branch.
constexpr uint32_t kPollInstructions = 4;

/// The timer counts down. A run of more than 1.3e9 instructions is counted short.
constexpr uint32_t ticks_between(uint32_t begin, uint32_t end) {
  return (begin - end) & kSystickBits;
}

}  // namespace thimble_firmware
