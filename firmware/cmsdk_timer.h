// SPDX-License-Identifier: Apache-2.0
// The counter of most MPS2 boards: CMSDK APB timer 0, 32 bits on the system clock. Unlike SysTick's
// 24 bits it lasts for 1.7e11 instructions, so that no interrupt disturbs the count or the measured
// stack. A board's machine.h says kTimerAddress before it includes this.
#pragma once

#include <stdint.h>

namespace thimble_firmware {

struct CmsdkTimer {
  uint32_t control, value, reload, interrupt;
};
inline volatile CmsdkTimer* const kTimer = reinterpret_cast<volatile CmsdkTimer*>(kTimerAddress);

inline void start_counter() {
  kTimer->control = 0;
  kTimer->reload = 0xFFFFFFFF;
  kTimer->value = 0xFFFFFFFF;
  kTimer->control = 1;
}

/// Inlined: a call would be part of what it measures.
[[gnu::always_inline]] inline uint32_t read_counter() { return kTimer->value; }

/// Load, add, compare, branch.
constexpr uint32_t kPollInstructions = 4;

/// The timer counts down.
constexpr uint32_t ticks_between(uint32_t begin, uint32_t end) { return begin - end; }

}  // namespace thimble_firmware
