// SPDX-License-Identifier: Apache-2.0
// Models by hand, for the tests of the emulated boards.
#pragma once

#include <stdint.h>

extern const uint8_t kTinyWeights[100];
extern const uint8_t kHugeWeights[5000000];  // zeros, but for the last, a 7

void add_one(void* arena);
void add_weights(void* arena);
void add_last_huge_weight(void* arena);
void count_down(void* arena);
void use_stack(void* arena);
void write_after(void* arena);
void write_before(void* arena);
void fault(void* arena);
void unaligned(void* arena);
void overflow_stack(void* arena);
void add_two(void* input, void* output);
void change_input(void* input, void* output);
