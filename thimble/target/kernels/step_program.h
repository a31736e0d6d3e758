// SPDX-License-Identifier: Apache-2.0
// The step of a StepLoop as its kernels take it. Private to thimble/target/kernels.
#pragma once

#include <vector>

#include "thimble/target/kernels/kernel.h"

namespace thimble {

/// StepLoopParams has the meaning of all of it.
struct StepProgram {
  std::vector<int8_t> bytes;
  std::vector<int32_t> calls;
  int32_t call_count = 0, scratch_bytes = 0, products = 0, elements = 0;
};

/// The row of x, the states, then what operators compute: each as low as what lives then leaves
/// room, elementwise over an operand that nothing reads later.
[[nodiscard]] StepProgram step_program(const Graph& step);

}  // namespace thimble
