// SPDX-License-Identifier: Apache-2.0
#include "tflite_builder.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace thimble::testing {

using tflite::BuiltinOperator;
using tflite::TensorType;

std::vector<float> floats_of(const Bytes& bytes) {
  std::vector<float> result(bytes.size() / sizeof(float));
  if (!bytes.empty()) std::memcpy(result.data(), bytes.data(), bytes.size());
  return result;
}

float sigmoid(float x) { return 1 / (1 + std::exp(-x)); }

TfliteBuilder::TfliteBuilder() {
  model.version = 3;
  model.buffers.push_back(std::make_unique<tflite::BufferT>());
  model.subgraphs.push_back(std::make_unique<tflite::SubGraphT>());
}

int32_t TfliteBuilder::begin_subgraph() {
  model.subgraphs.push_back(std::make_unique<tflite::SubGraphT>());
  subgraph_ = model.subgraphs.size() - 1;
  return static_cast<int32_t>(subgraph_);
}

int32_t TfliteBuilder::tensor(Dims shape, TensorType type) {
  auto tensor = std::make_unique<tflite::TensorT>();
  const auto index = static_cast<int32_t>(network().tensors.size());
  tensor->name = "t" + std::to_string(index);
  tensor->shape = std::move(shape);
  tensor->type = type;
  tensor->quantization = std::make_unique<tflite::QuantizationParametersT>();
  if (type != TensorType::FLOAT32) {
    tensor->quantization->scale = {0.5F};
    tensor->quantization->zero_point = {-3};
  }
  network().tensors.push_back(std::move(tensor));
  return index;
}

int32_t TfliteBuilder::constant(Dims shape, TensorType type, Bytes data) {
  const int32_t index = tensor(std::move(shape), type);
  at(index).buffer = static_cast<uint32_t>(model.buffers.size());
  model.buffers.push_back(std::make_unique<tflite::BufferT>());
  model.buffers.back()->data = std::move(data);
  return index;
}

int32_t TfliteBuilder::constant(const std::vector<int32_t>& values) {
  const int32_t index =
      constant({static_cast<int32_t>(values.size())}, TensorType::INT32, bytes_of(values));
  at(index).quantization = nullptr;
  return index;
}

int32_t TfliteBuilder::weights(Dims shape, int32_t axis) {
  size_t count = 1;
  for (int32_t extent : shape) count *= static_cast<size_t>(extent);
  const auto channels = static_cast<size_t>(shape[static_cast<size_t>(axis)]);
  const int32_t index = constant(std::move(shape), TensorType::INT8, Bytes(count));
  auto& quantization = *at(index).quantization;
  quantization.scale.assign(channels, 0.25F);
  quantization.zero_point.assign(channels, 0);
  quantization.quantized_dimension = axis;
  return index;
}

int32_t TfliteBuilder::bias(int32_t channels) {
  const int32_t index =
      constant({channels}, TensorType::INT32, Bytes(static_cast<size_t>(channels) * 4));
  at(index).quantization->scale = {0.125F};
  at(index).quantization->zero_point = {0};
  return index;
}

tflite::OperatorT& TfliteBuilder::add_op(BuiltinOperator code, Dims inputs, Dims outputs) {
  auto known = std::ranges::find_if(model.operator_codes,
                                    [&](const auto& other) { return other->builtin_code == code; });
  if (known == model.operator_codes.end()) {
    auto entry = std::make_unique<tflite::OperatorCodeT>();
    entry->builtin_code = code;
    // What converters write beside it for interpreters from before code 127.
    entry->deprecated_builtin_code =
        static_cast<int8_t>(std::min<int32_t>(static_cast<int32_t>(code), 127));
    model.operator_codes.push_back(std::move(entry));
    known = model.operator_codes.end() - 1;
  }
  auto op = std::make_unique<tflite::OperatorT>();
  op->opcode_index = static_cast<uint32_t>(known - model.operator_codes.begin());
  op->inputs = std::move(inputs);
  op->outputs = std::move(outputs);
  network().operators.push_back(std::move(op));
  return *network().operators.back();
}

void TfliteBuilder::custom(const std::string& name, Dims inputs, Dims outputs, Bytes options) {
  auto known = std::ranges::find_if(model.operator_codes,
                                    [&](const auto& code) { return code->custom_code == name; });
  if (known == model.operator_codes.end()) {
    auto entry = std::make_unique<tflite::OperatorCodeT>();
    entry->builtin_code = BuiltinOperator::CUSTOM;
    entry->deprecated_builtin_code = static_cast<int8_t>(BuiltinOperator::CUSTOM);
    entry->custom_code = name;
    model.operator_codes.push_back(std::move(entry));
    known = model.operator_codes.end() - 1;
  }
  auto op = std::make_unique<tflite::OperatorT>();
  op->opcode_index = static_cast<uint32_t>(known - model.operator_codes.begin());
  op->inputs = std::move(inputs);
  op->outputs = std::move(outputs);
  op->custom_options = std::move(options);
  network().operators.push_back(std::move(op));
}

Bytes TfliteBuilder::bytes() const {
  flatbuffers::FlatBufferBuilder builder;
  tflite::FinishModelBuffer(builder, tflite::Model::Pack(builder, &model));
  return {builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()};
}

TfliteBuilder small_network() {
  TfliteBuilder b;
  const int32_t input = b.tensor({1, 8, 8, 3});
  const int32_t weights = b.weights({4, 3, 3, 3}, 0);
  const int32_t bias = b.bias(4);
  const int32_t image = b.tensor({1, 4, 4, 4});
  const int32_t extents = b.constant({-1, 64});
  const int32_t flat = b.tensor({1, 64});
  const int32_t matrix = b.weights({2, 64}, 0);
  b.at(matrix).quantization->scale = {0.25F};
  b.at(matrix).quantization->zero_point = {0};
  const int32_t logits = b.tensor({1, 2});
  const int32_t output = b.tensor({1, 2});
  b.at(output).quantization->scale = {1.0F / 256};
  b.at(output).quantization->zero_point = {-128};
  tflite::Conv2DOptionsT conv;
  conv.padding = tflite::Padding::SAME;
  conv.stride_h = conv.stride_w = 2;
  conv.fused_activation_function = tflite::ActivationFunctionType::RELU6;
  b.op(BuiltinOperator::CONV_2D, {input, weights, bias}, {image}, conv);
  b.op(BuiltinOperator::RESHAPE, {image, extents}, {flat}, tflite::ReshapeOptionsT{});
  b.op(BuiltinOperator::FULLY_CONNECTED, {flat, matrix, -1}, {logits},
       tflite::FullyConnectedOptionsT{});
  tflite::SoftmaxOptionsT softmax;
  softmax.beta = 1;
  b.op(BuiltinOperator::SOFTMAX, {logits}, {output}, softmax);
  b.inputs({input});
  b.outputs({output});
  return b;
}

TfliteBuilder unsupported_network() {
  TfliteBuilder net;
  for (int k = 0; k < 4; ++k) net.tensor({1, 16});
  const int32_t weights = net.constant({8, 16}, tflite::TensorType::FLOAT32, Bytes(8 * 16 * 4));
  const int32_t sums = net.tensor({1, 8}, tflite::TensorType::FLOAT32);
  net.op(tflite::BuiltinOperator::TOPK_V2, {0}, {1});
  net.op(tflite::BuiltinOperator::RELU, {1}, {2});
  net.op(tflite::BuiltinOperator::TOPK_V2, {2}, {3});
  net.op(tflite::BuiltinOperator::FULLY_CONNECTED, {2, weights, -1}, {sums},
         tflite::FullyConnectedOptionsT());
  net.inputs({0});
  net.outputs({3, sums});
  return net;
}

}  // namespace thimble::testing
