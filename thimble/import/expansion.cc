// SPDX-License-Identifier: Apache-2.0
#include "thimble/import/expansion.h"

#include <fmt/format.h>

#include <utility>

namespace thimble {

TensorId Expansion::make(Attributes attributes, std::vector<TensorId> inputs, Shape shape) {
  const Tensor& out = op_.output();
  return make_as(std::move(attributes), std::move(inputs),
                 Tensor{.name = "",
                        .shape = std::move(shape),
                        .type = out.type,
                        .quantization = out.quantization,
                        .data = nullptr});
}

TensorId Expansion::make_as(Attributes attributes, std::vector<TensorId> inputs, Tensor tensor) {
  tensor.name = fmt::format("{}/{}", op_.output().name, read_.ops.size());
  const TensorId made = add(std::move(tensor));
  read_.ops.push_back({std::move(attributes), std::move(inputs), {made}, -1});
  return made;
}

TensorId Expansion::add(Tensor tensor) {
  tensors_.push_back(std::move(tensor));
  return {static_cast<int32_t>(tensors_.size()) - 1};
}

TensorId Expansion::make_zero(const Tensor& like) {
  Tensor zero = like;
  zero.name = fmt::format("{}/zero", op_.output().name);
  zero.shape = {};
  zero.data = std::make_shared<const Bytes>(static_cast<size_t>(size_bytes(like.type)), uint8_t{0});
  return add(std::move(zero));
}

TensorId Expansion::make_int32(int32_t number) {
  Bytes bytes;
  for (int bit = 0; bit < 32; bit += 8)
    bytes.push_back(static_cast<uint8_t>(static_cast<uint32_t>(number) >> bit));
  return add({.name = fmt::format("{}/{}", op_.output().name, number),
              .shape = {},
              .type = DType::kInt32,
              .quantization = {},
              .data = std::make_shared<const Bytes>(std::move(bytes))});
}

void Expansion::keep(TensorId old_value, TensorId new_value, Bytes initial) {
  const Tensor& tensor = tensors_[old_value.index()];
  if (initial.empty()) {
    const std::vector<int32_t>& zeros = tensor.quantization.zero_points;
    const bool one_byte = tensor.type == DType::kInt8 && !zeros.empty();
    initial.assign(static_cast<size_t>(tensor.size_bytes()),
                   static_cast<uint8_t>(one_byte ? zeros[0] : 0));
  }
  read_.states.push_back({old_value, new_value, std::make_shared<const Bytes>(std::move(initial))});
}

void Expansion::finish(Attributes attributes, std::vector<TensorId> inputs) {
  finish_output(op_.output_number, std::move(attributes), std::move(inputs));
}

void Expansion::finish_output(size_t number, Attributes attributes, std::vector<TensorId> inputs) {
  read_.ops.push_back({std::move(attributes), std::move(inputs), {op_.outputs[number]}, -1});
}

ReadOperator Expansion::done() {
  if (!read_.ops.empty()) read_.ops.back().file_index = op_.number;
  return std::move(read_);
}

}  // namespace thimble
