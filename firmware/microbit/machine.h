// SPDX-License-Identifier: Apache-2.0
// The BBC micro:bit (nRF51822: Cortex-M0, 256 KB of flash, 16 KB of RAM).
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace thimble_firmware {

/// Timer 0 at 8 MHz, since QEMU rounds the 62.5 ns of 16 MHz; with -icount shift=0 an instruction
/// takes 1 ns of the board's time.
constexpr uint32_t kInstructionsPerTick = 125;
constexpr size_t kGuardBytes = 64;  // there is little memory

/// A register of timer 0.
[[gnu::always_inline]] inline volatile uint32_t& timer(uint32_t offset) {
  return *reinterpret_cast<volatile uint32_t*>(0x40008000 + offset);
}

inline void start_counter() {
  timer(0x508) = 3;  // BITMODE: 32 bits
  timer(0x510) = 1;  // PRESCALER: 16 MHz / 2
  timer(0x000) = 1;  // START
}

/// Inlined: a call would be part of what it measures.
[[gnu::always_inline]] inline uint32_t read_counter() {
  timer(0x040) = 1;     // CAPTURE[0]
  return timer(0x540);  // CC[0]
}

/// Move, store, load, add, compare, branch.
constexpr uint32_t kPollInstructions = 6;

/// The timer counts up.
constexpr uint32_t ticks_between(uint32_t begin, uint32_t end) { return end - begin; }

}  // namespace thimble_firmware
