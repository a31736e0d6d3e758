// SPDX-License-Identifier: Apache-2.0
#include "thimble/import/tflite/op.h"

#include <fmt/format.h>

#include "thimble/import/refusal.h"

namespace thimble {

std::vector<TensorId> tensor_ids(const TfliteFile& file, std::span<const int32_t> indices,
                                 const std::string& where) {
  std::vector<TensorId> result;
  const auto count = static_cast<int64_t>(file.tensor_count());
  for (const int32_t index : indices) {
    if (index < -1 || index >= count)
      throw Damage(where, fmt::format("there is no tensor {}", index));
    result.push_back(TensorId{index});
  }
  return result;
}

TfliteOp read_operands(const TfliteFile& file, size_t number, const std::string& name,
                       const std::vector<Tensor>& tensors) {
  const std::string where = place_of(file.where(), name, number);
  const tfl::OperatorRecord from = file.op(number);
  return {{.where = where,
           .number = static_cast<int>(number),
           .tensors = tensors,
           .inputs = tensor_ids(file, from.inputs, where),
           .outputs = tensor_ids(file, from.outputs, where)},
          from.options,
          from.custom_options,
          file.open_shapes()};
}

Activation activation(const TfliteOp& op, tfl::ActivationFunctionType type) {
  switch (type) {
    case tfl::ActivationFunctionType::NONE:
      return Activation::kNone;
    case tfl::ActivationFunctionType::RELU:
      return Activation::kRelu;
    case tfl::ActivationFunctionType::RELU_N1_TO_1:
      return Activation::kReluN1To1;
    case tfl::ActivationFunctionType::RELU6:
      return Activation::kRelu6;
    case tfl::ActivationFunctionType::TANH:
    case tfl::ActivationFunctionType::SIGN_BIT:
      break;
  }
  const std::string name = format_name(type);
  op.refuse(
      fmt::format("fused activation {} is not supported; supported are NONE, RELU, RELU_N1_TO_1 "
                  "and RELU6",
                  name.empty() ? std::to_string(static_cast<int>(type)) : name));
}

}  // namespace thimble
