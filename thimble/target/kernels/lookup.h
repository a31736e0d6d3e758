// SPDX-License-Identifier: Apache-2.0
// Private to thimble/target/kernels.
#pragma once

#include "thimble/target/kernels/operands.h"

namespace thimble {

[[nodiscard]] inline bool is_function_of_int8(const Operands& t) {
  return t.in(0).type == DType::kInt8 && t.out().type == DType::kInt8;
}
/// By a table of all values.
[[nodiscard]] KernelUse lookup_use(const Operands& t);

}  // namespace thimble
