// SPDX-License-Identifier: Apache-2.0
// From reset to start() on any Cortex-M: vectors, FPU, faults.
#if defined(__arm__)
#include "board.h"
#include "semihosting.h"

extern "C" {
extern uint8_t stack_top[];  // made by link.ld
[[noreturn]] void reset_handler();
[[noreturn]] void fault_handler();
}

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

}  // namespace

void reset_handler() {
  if (kFpu) {
    *kCpacr = *kCpacr | kFpuAccess;
    asm volatile("dsb\n\tisb" ::: "memory");
  }
  start();
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

#ifndef THIMBLE_SYSTICK_HANDLER
#define THIMBLE_SYSTICK_HANDLER fault_handler
#endif

// Reset, NMI, the four faults, and the system exceptions: none but reset is expected, and the timer
// where a board's machine.h has something for it.
[[gnu::section(".vectors"), gnu::used]] const VectorTable kVectors = {
    stack_top,
    {reset_handler, fault_handler, fault_handler, fault_handler, fault_handler, fault_handler,
     fault_handler, fault_handler, fault_handler, fault_handler, fault_handler, fault_handler,
     fault_handler, fault_handler, THIMBLE_SYSTICK_HANDLER}};

#endif
