// SPDX-License-Identifier: Apache-2.0
// From reset to the harness on an MPS2 board with the AN386 image: vectors, FPU, memory, counter.
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

// Coprocessor access control: full access to CP10 and CP11, the FPU.
volatile uint32_t* const kCpacr = reinterpret_cast<volatile uint32_t*>(0xE000ED88);
constexpr uint32_t kFpuAccess = 0xFu << 20;
// Configurable, hard and bus fault status.
volatile uint32_t* const kCfsr = reinterpret_cast<volatile uint32_t*>(0xE000ED28);

// CMSDK APB timer 0: 32 bits on the 25 MHz system clock. Unlike SysTick's 24 bits it lasts for
// 1.7e11 instructions, so that no interrupt disturbs the count or the measured stack.
struct Timer {
  uint32_t control, value, reload, interrupt;
};
volatile Timer* const kTimer = reinterpret_cast<volatile Timer*>(0x40000000);

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

namespace {

void start_counter() {
  kTimer->control = 0;
  kTimer->reload = 0xFFFFFFFF;
  kTimer->value = 0xFFFFFFFF;
  kTimer->control = 1;
}

}  // namespace

}  // namespace thimble_firmware

void reset_handler() {
  using namespace thimble_firmware;
  *kCpacr = *kCpacr | kFpuAccess;
  asm volatile("dsb\n\tisb" ::: "memory");
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
      "b %0" ::"i"(report_fault));
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
