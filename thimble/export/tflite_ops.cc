// SPDX-License-Identifier: Apache-2.0
#include "thimble/export/tflite_ops.h"

#include "thimble/model/error.h"

namespace thimble {

tflite::ActivationFunctionType fused(Activation activation) {
  switch (activation) {
    case Activation::kNone:
      return tflite::ActivationFunctionType::NONE;
    case Activation::kRelu:
      return tflite::ActivationFunctionType::RELU;
    case Activation::kReluN1To1:
      return tflite::ActivationFunctionType::RELU_N1_TO_1;
    case Activation::kRelu6:
      return tflite::ActivationFunctionType::RELU6;
    case Activation::kRelu0To1:
      break;  // never fused
  }
  throw InternalError("unknown activation");
}

FileOperator written(const DetectionPostProcess&, const OpContext& c) {
  throw CompileError(label(c.op), "a custom operator cannot be written as .tflite");
}

FileOperator written(const Recurrent&, const OpContext& c) {
  throw CompileError(label(c.op), "TensorFlow Lite has no such operator over a sequence");
}

FileOperator written(const StepLoop&, const OpContext& c) {
  throw CompileError(label(c.op), "TensorFlow Lite has no such operator over a sequence");
}

tflite::TensorType file_type(DType type) {
  switch (type) {
    case DType::kBool:
      return tflite::TensorType::BOOL;
    case DType::kInt8:
      return tflite::TensorType::INT8;
    case DType::kUInt8:
      return tflite::TensorType::UINT8;
    case DType::kInt16:
      return tflite::TensorType::INT16;
    case DType::kInt32:
      return tflite::TensorType::INT32;
    case DType::kUInt32:
      return tflite::TensorType::UINT32;
    case DType::kInt64:
      return tflite::TensorType::INT64;
    case DType::kUInt64:
      return tflite::TensorType::UINT64;
    case DType::kFloat32:
      return tflite::TensorType::FLOAT32;
  }
  throw InternalError("unknown DType");
}

FileOperator file_operator(const Graph& graph, const Op& op) {
  if (op.attributes.arithmetic != Arithmetic::kTflite) {
    throw CompileError(label(op), op.attributes.arithmetic == Arithmetic::kOnnx
                                      ? "int8 in ONNX's arithmetic cannot be written as .tflite"
                                      : "int8 that is computed as uint8 was cannot be written as "
                                        ".tflite");
  }
  const OpContext context{graph, op};
  const auto write = [&]<class Operator>(const Operator& attributes) -> FileOperator {
    if constexpr (kIsRecurrent<Operator>) {
      throw CompileError(label(op), "networks with a state cannot be written as .tflite");
    } else if constexpr (kIsSignal<Operator>) {
      throw CompileError(label(op),
                         "operators of the audio front end cannot be written as .tflite");
    } else {
      return written(attributes, context);
    }
  };
  return std::visit(write, op.attributes);
}

}  // namespace thimble
