// SPDX-License-Identifier: Apache-2.0
// Shapes that operators make of their inputs' (OperatorKind::shape), as far as several do so.
#pragma once

#include "thimble/import/tflite/op.h"

namespace thimble {

/// The shape of an input, which must be of rank `rank` at least.
[[nodiscard]] const Shape& shape_of(const TfliteOp& op, size_t input, size_t rank = 0);
/// Throws CompileError: its inputs' shapes do not go together.
[[noreturn]] void refuse_operands(const TfliteOp& op);

/// Element by element.
[[nodiscard]] Shape first_input(const TfliteOp& op);
[[nodiscard]] Shape broadcast_inputs(const TfliteOp& op);  ///< the first two
[[nodiscard]] Shape broadcast_shape(const TfliteOp& op, Shape a, Shape b);
/// Throws CompileError: no rule says what follows.
[[noreturn]] Shape not_followed(const TfliteOp& op);

/// OperatorKind::repeats_shape
[[nodiscard]] bool always(const TfliteOp& op);

}  // namespace thimble
