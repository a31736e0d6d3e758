// SPDX-License-Identifier: Apache-2.0
// FULLY_CONNECTED and BATCH_MATMUL.
#include "thimble/export/tflite_ops.h"

namespace thimble {

FileOperator written(const BatchMatMul& op, const OpContext& c) {
  tflite::BatchMatMulOptionsT options;
  options.adj_x = op.adjoint_x;
  options.adj_y = op.adjoint_y;
  return made(BuiltinOperator::BATCH_MATMUL, c.version(), options);
}

FileOperator written(const FullyConnected& op, const OpContext& c) {
  tflite::FullyConnectedOptionsT options;
  options.fused_activation_function = fused(op.activation);
  options.keep_num_dims = c.output().shape.size() != 2;
  int version = c.version(4);
  if (options.keep_num_dims) version = 5;
  if (c.op.inputs.size() == 2) version = 6;
  return made(BuiltinOperator::FULLY_CONNECTED, version, options);
}

}  // namespace thimble
