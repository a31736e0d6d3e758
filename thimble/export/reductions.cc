// SPDX-License-Identifier: Apache-2.0
// One number for many; CUMSUM.
#include "thimble/export/tflite_ops.h"

namespace thimble {

FileOperator reduction(BuiltinOperator code, const std::vector<int>& axes, const OpContext& c) {
  tflite::ReducerOptionsT options;
  options.keep_dims = c.output().shape.size() == c.input(0).shape.size();
  return made(code, c.version(), options, {integers("axes", axes)});
}

FileOperator written(const ArgMax& op, const OpContext& c) {
  if (op.last)
    throw CompileError(label(c.op), "the last of equal values has no operator in .tflite");
  std::vector<ExtraConstant> axis = {integers("axis", std::vector<int>{op.axis})};
  if (op.least) {
    tflite::ArgMinOptionsT options;
    options.output_type = tflite::TensorType::INT32;
    return made(BuiltinOperator::ARG_MIN, c.version(), options, std::move(axis));
  }
  tflite::ArgMaxOptionsT options;
  options.output_type = tflite::TensorType::INT32;
  return made(BuiltinOperator::ARG_MAX, c.version(), options, std::move(axis));
}

FileOperator written(const CumSum& op, const OpContext&) {
  tflite::CumsumOptionsT options;
  options.exclusive = op.exclusive;
  options.reverse = op.reverse;
  return made(BuiltinOperator::CUMSUM, 1, options, {integers("axis", std::vector<int>{op.axis})});
}

FileOperator written(const Mean& op, const OpContext& c) {
  return reduction(BuiltinOperator::MEAN, op.axes, c);
}

FileOperator written(const Sum& op, const OpContext& c) {
  return reduction(BuiltinOperator::SUM, op.axes, c);
}

}  // namespace thimble
