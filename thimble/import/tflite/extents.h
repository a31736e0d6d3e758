// SPDX-License-Identifier: Apache-2.0
// What follows from shapes and constants alone, shapes being fixed: sizes that networks compute of
// their shapes (SHAPE, then STRIDED_SLICE, PACK, MUL and others of a few integers, before a RESHAPE
// or RESIZE reads them), FILL and ZEROS_LIKE.
#pragma once

#include <vector>

#include "thimble/import/expansion.h"
#include "thimble/import/tflite/op.h"

namespace thimble {

/// Makes the outputs constants where they follow from shapes and constant integers alone (few: see
/// extents.cc). Says whether it did.
[[nodiscard]] bool fold_extents(TfliteOp op, tfl::BuiltinOperator code,
                                std::vector<Tensor>& tensors);

/// OperatorKind::expand of operators that are always folded: refuses what could not be.
void only_extents(const TfliteOp& op, Expansion& steps);

}  // namespace thimble
