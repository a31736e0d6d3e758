// SPDX-License-Identifier: Apache-2.0
// RESHAPE and TRANSPOSE.
#include "thimble/export/tflite_ops.h"

namespace thimble {

FileOperator written(const Reshape&, const OpContext& c) {
  tflite::ReshapeOptionsT options;
  for (const int64_t extent : c.output().shape) {
    options.new_shape.push_back(static_cast<int32_t>(extent));
  }
  return made(BuiltinOperator::RESHAPE, 1, std::move(options),
              {integers("shape", c.output().shape)});
}

FileOperator written(const Transpose& op, const OpContext& c) {
  return made(BuiltinOperator::TRANSPOSE, c.version(), tflite::TransposeOptionsT(),
              {integers("permutation", op.permutation)});
}

}  // namespace thimble
