// SPDX-License-Identifier: Apache-2.0
// Operators that read or write where other operands say.
#include "thimble/export/tflite_ops.h"

namespace thimble {

FileOperator written(const Gather& op, const OpContext& c) {
  tflite::GatherOptionsT options;
  options.axis = op.axis;
  options.batch_dims = op.batch_axes;
  return made(BuiltinOperator::GATHER, op.batch_axes == 0 ? c.version() : 5, options);
}

FileOperator written(const UpdateSlice&, const OpContext&) {
  return made(BuiltinOperator::DYNAMIC_UPDATE_SLICE, 1);
}

}  // namespace thimble
