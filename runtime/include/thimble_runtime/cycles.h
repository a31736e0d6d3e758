// SPDX-License-Identifier: Apache-2.0
// The cycle counter that a core has: DWT_CYCCNT of Cortex-M3 and later, mcycle of RISC-V, CCOUNT of
// Xtensa. Cortex-M0, M0+ and M23 have none.
#pragma once

#include <stdint.h>

namespace thimble::runtime {

#if defined(__ARM_ARCH_7M__) || defined(__ARM_ARCH_7EM__) || defined(__ARM_ARCH_8M_MAIN__) || \
    defined(__ARM_ARCH_8_1M_MAIN__)
constexpr bool kHasCycles = true;

inline volatile uint32_t& core_register(uint32_t address) noexcept {
  return *reinterpret_cast<volatile uint32_t*>(address);
}
inline void start_cycles() noexcept {
  core_register(0xE000EDFCU) = core_register(0xE000EDFCU) | 1U << 24U;  // DEMCR: trace enabled
  core_register(0xE0001FB0U) = 0xC5ACCE55U;  // DWT_LAR: unlocked, which Cortex-M7 asks for
  core_register(0xE0001000U) = core_register(0xE0001000U) | 1U;  // DWT_CTRL: CYCCNT counts
}
inline uint32_t cycles() noexcept { return core_register(0xE0001004U); }
#elif defined(__riscv)
constexpr bool kHasCycles = true;
inline void start_cycles() noexcept {}
inline uint32_t cycles() noexcept {
  uintptr_t count;
  // csrr of mcycle, 0xb00, for assemblers that were not told of Zicsr (-march=rv32imc).
  __asm__ volatile(".insn i 0x73, 2, %0, x0, -0x500" : "=r"(count));
  return static_cast<uint32_t>(count);
}
#elif defined(__XTENSA__)
constexpr bool kHasCycles = true;
inline void start_cycles() noexcept {}
inline uint32_t cycles() noexcept {
  uint32_t count;
  __asm__ volatile("rsr %0, ccount" : "=r"(count));
  return count;
}
#else
constexpr bool kHasCycles = false;
inline void start_cycles() noexcept {}
inline uint32_t cycles() noexcept { return 0; }
#endif

}  // namespace thimble::runtime
