// SPDX-License-Identifier: Apache-2.0
// Each model has one known fact: outputs, instructions, stack bytes or a fault.
#include "tiny_models.h"

namespace {
uint8_t* bytes(void* arena) { return static_cast<uint8_t*>(arena); }
}  // namespace

void add_one(void* arena) {
  for (int i = 0; i < 500; ++i) bytes(arena)[500 + i] = static_cast<uint8_t>(bytes(arena)[i] + 1);
}

void add_weights(void* arena) {
  for (int i = 0; i < 100; ++i) {
    bytes(arena)[100 + i] = static_cast<uint8_t>(bytes(arena)[i] + kTinyWeights[i]);
  }
}

void add_last_huge_weight(void* arena) {
  bytes(arena)[0] = static_cast<uint8_t>(bytes(arena)[0] + kHugeWeights[4999999]);
}

void add_two(void* input, void* output) {
  for (int i = 0; i < 300; ++i) bytes(output)[i] = static_cast<uint8_t>(bytes(input)[i] + 2);
}

void change_input(void* input, void*) { ++bytes(input)[8]; }

void write_after(void* arena) { ++bytes(arena)[1000]; }

void write_before(void* arena) { --bytes(arena)[-1]; }

#if defined(__riscv)

// 2 for the counter's constant, 2 * 50,000,000 for the loop, 1 for the return.
[[gnu::naked]] void count_down(void*) {
  asm volatile(
      "li a0, 50000000\n"
      "1:\n\t"
      "addi a0, a0, -1\n\t"
      "bnez a0, 1b\n\t"
      "ret");
}

[[gnu::naked]] void use_stack(void*) {
  asm volatile(
      "addi sp, sp, -208\n\t"
      "sw ra, 0(sp)\n\t"
      "addi sp, sp, 208\n\t"
      "ret");
}

void fault(void*) { asm volatile("unimp"); }

void unaligned(void*) {}

[[gnu::naked]] void overflow_stack(void*) {
  asm volatile(
      "li a0, 0x30000\n\t"
      "sub a0, sp, a0\n\t"
      "mv a1, sp\n"
      "1:\n\t"
      "addi a1, a1, -4\n\t"
      "sw a0, 0(a1)\n\t"
      "bne a1, a0, 1b\n\t"
      "ret");
}

#else

// 1 for the counter's constant, 2 * 50,000,000 for the loop, 1 for the return.
[[gnu::naked]] void count_down(void*) {
  asm volatile(
      ".syntax unified\n\t"
      "ldr r0, =50000000\n"
      "1:\n\t"
      "subs r0, #1\n\t"
      "bne 1b\n\t"
      "bx lr\n\t"
      ".ltorg");
}

// 200 bytes and two saved registers.
[[gnu::naked]] void use_stack(void*) {
  asm volatile(
      ".syntax unified\n\t"
      "push {r4, lr}\n\t"
      "sub sp, #200\n\t"
      "movs r4, #1\n\t"
      "str r4, [sp]\n\t"
      "add sp, #200\n\t"
      "pop {r4, pc}");
}

void fault(void*) { asm volatile("udf #0"); }

// No Armv6-M loads a word from an odd address.
[[gnu::naked]] void unaligned(void*) {
  asm volatile(
      ".syntax unified\n\t"
      "adds r0, #1\n\t"
      "ldr r0, [r0]\n\t"
      "bx lr");
}

[[gnu::naked]] void overflow_stack(void*) {
  asm volatile(
      ".syntax unified\n\t"
      "mov r1, sp\n\t"
      "ldr r0, =0x30000\n\t"
      "subs r0, r1, r0\n"
      "1:\n\t"
      "subs r1, #4\n\t"
      "str r0, [r1]\n\t"
      "cmp r1, r0\n\t"
      "bne 1b\n\t"
      "bx lr\n\t"
      ".ltorg");
}

#endif
