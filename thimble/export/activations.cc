// SPDX-License-Identifier: Apache-2.0
// Functions of one number, and softmax.
#include "thimble/export/tflite_ops.h"

namespace thimble {

FileOperator written(const Elu&, const OpContext&) { return made(BuiltinOperator::ELU, 1); }

FileOperator written(const Gelu& op, const OpContext& c) {
  tflite::GeluOptionsT options;
  options.approximate = op.approximate;
  return made(BuiltinOperator::GELU, c.version(), options);
}

FileOperator written(const HardSwish&, const OpContext&) {
  return made(BuiltinOperator::HARD_SWISH, 1);
}

FileOperator written(const LeakyRelu& op, const OpContext& c) {
  tflite::LeakyReluOptionsT options;
  options.alpha = op.alpha;
  return made(BuiltinOperator::LEAKY_RELU, c.version(), options);
}

FileOperator written(const Logistic&, const OpContext& c) {
  return made(BuiltinOperator::LOGISTIC, c.version());
}

FileOperator written(const LogSoftmax&, const OpContext& c) {
  return made(BuiltinOperator::LOG_SOFTMAX, c.version());
}

FileOperator written(const Prelu&, const OpContext&) { return made(BuiltinOperator::PRELU, 1); }

FileOperator written(const Relu& op, const OpContext& c) {
  if (op.range == Activation::kReluN1To1) return made(BuiltinOperator::RELU_N1_TO_1, 1);
  if (op.range == Activation::kRelu0To1) return made(BuiltinOperator::RELU_0_TO_1, 1);
  return made(BuiltinOperator::RELU, c.version());
}

FileOperator written(const Relu6&, const OpContext& c) {
  return made(BuiltinOperator::RELU6, c.version());
}

FileOperator written(const Softmax& op, const OpContext& c) {
  tflite::SoftmaxOptionsT options;
  options.beta = op.beta;
  return made(BuiltinOperator::SOFTMAX, c.version(), options);
}

FileOperator written(const Tanh&, const OpContext& c) {
  return made(BuiltinOperator::TANH, c.version());
}

}  // namespace thimble
