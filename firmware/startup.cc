// SPDX-License-Identifier: Apache-2.0
// Memory and counter, then the harness, whatever the core; reset_arm.cc and reset_riscv.cc come
// here.
#include "board.h"

extern "C" {
// Made by link.ld: only their addresses mean something.
extern uint32_t data_begin[], data_end[], data_load[], bss_begin[], bss_end[];
extern uint8_t stack_bottom[], psram_free[], psram_end[];
}

namespace thimble_firmware {

volatile uint32_t running_model;

namespace {

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

void start() {
  using namespace thimble_firmware;
  initialise_memory();
  start_counter();
  harness_main();
}
