// SPDX-License-Identifier: Apache-2.0
// Private to thimble/target/kernels.
#pragma once

#include "thimble/target/kernels/operands.h"

namespace thimble {

[[nodiscard]] inline bool is_function_of_int8(const Operands& t) {
  return t.in(0).type == DType::kInt8 && t.out().type == DType::kInt8;
}
/// Input and output have one byte per element.
[[nodiscard]] inline bool is_function_of_byte(const Operands& t) {
  return size_bytes(t.in(0).type) == 1 && size_bytes(t.out().type) == 1;
}
/// By a table of all values.
[[nodiscard]] KernelUse lookup_use(const Operands& t);

}  // namespace thimble
