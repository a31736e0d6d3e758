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

/// How often it has begun anew: every 1.3e9 instructions, its interrupt counts.
inline volatile uint32_t systick_rounds = 0;
inline void count_round() { systick_rounds = systick_rounds + 1; }
#define THIMBLE_SYSTICK_HANDLER thimble_firmware::count_round

inline void start_counter() {
  systick(4) = kSystickBits;  // reload
  systick(8) = 0;             // the value becomes that
  systick(0) = 7;             // counts the core's clock, with an interrupt at 0
}

/// Inlined: a call would be part of what it measures.
[[gnu::always_inline]] inline uint32_t read_counter() {
  constexpr uint32_t kBits = 24;
  for (;;) {
    const uint32_t rounds = systick_rounds, left = systick(8);
    if (rounds == systick_rounds) return (rounds << kBits) - left;
  }
}

/// Three loads, two compares, two branches, shift, subtract, add.
constexpr uint32_t kPollInstructions = 10;

constexpr uint32_t ticks_between(uint32_t begin, uint32_t end) { return end - begin; }

}  // namespace thimble_firmware
