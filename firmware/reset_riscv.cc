// SPDX-License-Identifier: Apache-2.0
// From reset to start() on a RISC-V core of 32 bits, which begins at the first instruction of
// memory.
#if defined(__riscv)
#include "board.h"
#include "semihosting.h"

extern "C" {
[[noreturn]] void reset_handler();
[[noreturn]] void report_fault(uint32_t cause, uint32_t pc);
}

// Faults are reported on a fresh stack, since a runaway stack may be the fault.
[[gnu::naked, gnu::section(".vectors"), gnu::used]] void reset_handler() {
  asm volatile(
      ".option arch, +zicsr\n\t"
      "la t0, 1f\n\t"
      "csrw mtvec, t0\n\t"
      "la sp, stack_top\n\t"
      "tail start\n\t"
      ".balign 4\n"
      "1:\n\t"
      "la sp, stack_top\n\t"
      "csrr a0, mcause\n\t"
      "csrr a1, mepc\n\t"
      "tail report_fault");
}

void report_fault(uint32_t cause, uint32_t pc) {
  using namespace thimble_firmware;
  print("fault model=");
  print_hex(running_model);
  print(" pc=");
  print_hex(pc);
  print(" status=");
  print_hex(cause);
  print("\n");
  exit_with(3);
}

#endif
