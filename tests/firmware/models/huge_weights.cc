// SPDX-License-Identifier: Apache-2.0
// More than the board's code memory holds.
#include "tiny_models.h"

asm(R"(
  .section .rodata.huge, "a"
  .global kHugeWeights
  kHugeWeights:
  .fill 4999999
  .byte 7
)");
