// SPDX-License-Identifier: Apache-2.0
// Tensors side by side.
#include "thimble/export/tflite_ops.h"

namespace thimble {

FileOperator written(const Concat& op, const OpContext& c) {
  tflite::ConcatenationOptionsT options;
  options.axis = op.axis;
  options.fused_activation_function = fused(op.activation);
  return made(BuiltinOperator::CONCATENATION, c.version(), options);
}

}  // namespace thimble
