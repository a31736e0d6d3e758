// SPDX-License-Identifier: Apache-2.0
// An operator of a .tflite file as operators of the Graph.
#pragma once

#include <vector>

#include "thimble/import/tflite/operator_kind.h"

namespace thimble {

/// One operator, or one for each output, or an expansion, which makes further tensors; none where
/// the outputs are constants (fold_extents). Throws CompileError for what is not supported.
[[nodiscard]] ReadOperator read_op(const OperatorKind& kind, TfliteOp from,
                                   std::vector<Tensor>& tensors);

}  // namespace thimble
