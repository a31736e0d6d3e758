// SPDX-License-Identifier: Apache-2.0
// What the harness needs from a board; each board's folder has machine.h and link.ld, all share
// startup.cc and sections.ld.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "machine.h"

namespace thimble_firmware {

/// A free piece of memory.
struct Memory {
  uint8_t* begin;
  uint8_t* end;
};

/// Where an arena may lie, in order of preference: `kMemoryCount` pieces.
constexpr size_t kMemoryCount = 2;
Memory free_memory(size_t index);

/// Lowest address that the stack may grow to.
uint8_t* stack_limit();

/// Of the function that it is inlined into.
[[gnu::always_inline]] inline uint32_t* stack_pointer() {
  uint32_t* pointer = nullptr;
#if defined(__riscv)
  asm volatile("mv %0, sp" : "=r"(pointer));
#else
  asm volatile("mov %0, sp" : "=r"(pointer));
#endif
  return pointer;
}

/// Number of the model that runs, for the report of a fault.
extern volatile uint32_t running_model;

}  // namespace thimble_firmware

/// Entered with a stack, and nothing else initialised.
extern "C" [[noreturn]] void start();
/// Entered by the start-up code when memory is initialised and the counter runs.
extern "C" [[noreturn]] void harness_main();
