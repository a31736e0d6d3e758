// SPDX-License-Identifier: Apache-2.0
// Variables of operators, which become an input and an output (docs/ports.md).
#pragma once

#include "thimble/import/tflite/op.h"

namespace thimble {

/// An operand that must be there, with as many elements as `shape`.
[[nodiscard]] const Tensor& state_operand(const TfliteOp& op, size_t k, const char* what,
                                          const Shape& shape);
[[nodiscard]] const Tensor& variable_of(const TfliteOp& op, size_t k, const char* what,
                                        const Shape& shape);

}  // namespace thimble
