// SPDX-License-Identifier: Apache-2.0
// A network of one operator on literal operands.
#pragma once

#include <memory>
#include <vector>

#include "thimble/reference/elements.h"
#include "thimble/reference/interpreter.h"

namespace thimble::testing {

template <class T>
Tensor constant(DType type, const Shape& shape, const std::vector<T>& values, float scale,
                int32_t zero_point = 0) {
  return {.shape = shape,
          .type = type,
          .quantization = {.scales = {scale}, .zero_points = {zero_point}},
          .data = std::make_shared<const Bytes>(reference::bytes_from(values))};
}

inline Tensor int8(const Shape& shape, const std::vector<int8_t>& values, float scale = 1,
                   int32_t zero_point = 0) {
  return constant(DType::kInt8, shape, values, scale, zero_point);
}

inline Tensor bias(const std::vector<int32_t>& values) {
  return constant<int32_t>(DType::kInt32, {static_cast<int64_t>(values.size())}, values, 1);
}

/// Operands are constants, so that a test needs no inputs.
class OneOp {
 public:
  explicit OneOp(Attributes attributes) { op_.attributes = std::move(attributes); }

  void input(Tensor tensor) { op_.inputs.push_back(add(std::move(tensor))); }

  /// The accumulator of the output; its tensor is filled in.
  void accumulate(const Accumulator& accumulator) { graph_.accumulators = {accumulator}; }

  template <class T>
  std::vector<T> run(DType type, const Shape& shape, float scale = 1, int32_t zero_point = 0) {
    const Quantization quantization{.scales = {scale}, .zero_points = {zero_point}};
    op_.outputs = {add({.shape = shape, .type = type, .quantization = quantization})};
    for (Accumulator& accumulator : graph_.accumulators) accumulator.tensor = op_.outputs[0];
    const TensorValues values(graph_.tensors.size());
    return reference::elements_from<T>(interpret_op(graph_, op_, values).at(0));
  }

  std::vector<int8_t> run_int8(const Shape& shape, float scale = 1, int32_t zero_point = 0) {
    return run<int8_t>(DType::kInt8, shape, scale, zero_point);
  }

 private:
  TensorId add(Tensor tensor) {
    graph_.tensors.push_back(std::move(tensor));
    return TensorId{static_cast<int32_t>(graph_.tensors.size()) - 1};
  }

  Graph graph_;
  Op op_;
};

}  // namespace thimble::testing
