// SPDX-License-Identifier: Apache-2.0
// From reset to the harness on any Cortex-M: vectors, FPU, memory, counter.
#include "board.h"
#include "semihosting.h"

extern "C" {
// Made by link.ld: only their addresses mean something.
extern uint32_t data_begin[], data_end[], data_load[], bss_begin[], bss_end[];
extern uint8_t stack_bottom[], stack_top[], psram_free[], psram_end[];

[[noreturn]] void reset_handler();
[[noreturn]] void fault_handler();
}

namespace thimble_firmware {

volatile uint32_t running_model;

namespace {

// Coprocessor access control: full access to CP10 and CP11, the FPU and MVE.
volatile uint32_t* const kCpacr = reinterpret_cast<volatile uint32_t*>(0xE000ED88);
constexpr uint32_t kFpuAccess = 0xFu << 20;
// Configurable, hard and bus fault status; 0 on Armv6-M.
volatile uint32_t* const kCfsr = reinterpret_cast<volatile uint32_t*>(0xE000ED28);

#ifdef __ARM_FP
constexpr bool kFpu = true;
#else
constexpr bool kFpu = false;
#endif

void initialise_memory() {
  const uint32_t* source = data_load;
  for (volatile uint32_t* word = data_begin; word < data_end; ++word) *word = *source++;
  for (volatile uint32_t* word = bss_begin; word < bss_end; ++word) *word = 0;
}

}  // namespace

Memory free_memory(size_t index) {
  if (index == 0) return {reinterpret_cast<uint8_t*>(bss_end), stack_bottom};
  return {psram_free, psram_end};
}

uint8_t* stack_limit() { return stack_bottom; }

}  // namespace thimble_firmware

void reset_handler() {
  using namespace thimble_firmware;
  if (kFpu) {
    *kCpacr = *kCpacr | kFpuAccess;
    asm volatile("dsb\n\tisb" ::: "memory");
  }
  initialise_memory();
  start_counter();
  harness_main();
}

namespace {

[[gnu::used]] [[noreturn]] void report_fault(const uint32_t* frame) {
  using namespace thimble_firmware;
  print("fault model=");
  print_hex(running_model);
  print(" pc=");
  print_hex(frame[6]);
  print(" status=");
  print_hex(*kCfsr);
  print("\n");
  exit_with(3);
}

}  // namespace

[[gnu::naked]] void fault_handler() {
  // The exception's frame stands where the stack pointer was; report on a fresh stack, since a
  // runaway stack may be the fault.
  asm volatile(
      "mov r0, sp\n\t"
      "ldr r1, =stack_top\n\t"
      "mov sp, r1\n\t"
      "ldr r1, =%0\n\t"
      "bx r1\n\t"
      ".ltorg" ::"i"(report_fault));
}

using Vector = void (*)();

struct VectorTable {
  const void* stack;
  Vector handlers[15];
};

// Reset, NMI, the four faults, and the system exceptions: none but reset is expected.
[[gnu::section(".vectors"), gnu::used]] const VectorTable kVectors = {
    stack_top,
    {reset_handler, fault_handler, fault_handler, fault_handler, fault_handler, fault_handler,
     fault_handler, fault_handler, fault_handler, fault_handler, fault_handler, fault_handler,
     fault_handler, fault_handler, fault_handler}};
