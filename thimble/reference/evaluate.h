// SPDX-License-Identifier: Apache-2.0
// One overload per operator, each in the file of its name: inputs to outputs.
#pragma once

#include <type_traits>
#include <vector>

#include "thimble/model/error.h"
#include "thimble/reference/elements.h"
#include "thimble/reference/tensor_values.h"

namespace thimble::reference {

/// What an operator sees of the network.
struct OpContext {
  const Graph& graph;
  const Op& op;
  const TensorValues& values;

  [[nodiscard]] Arithmetic arithmetic() const { return op.attributes.arithmetic; }
  [[nodiscard]] bool has_input(size_t i) const { return i < op.inputs.size(); }
  [[nodiscard]] const Tensor& input(size_t i) const;
  [[nodiscard]] const Tensor& output() const;
  /// Bytes of input i, constant or computed.
  [[nodiscard]] const Bytes& input_bytes(size_t i) const;

  /// Elements of input i, which must be of type T.
  template <class T>
  [[nodiscard]] std::vector<T> read(size_t i) const {
    check(is<T>(input(i).type),
          "an operand has a type that the reference interpreter does not compute");
    return elements_from<T>(input_bytes(i));
  }

 private:
  template <class T>
  static bool is(DType type) {
    if constexpr (std::is_same_v<T, int8_t>) return type == DType::kInt8;
    if constexpr (std::is_same_v<T, int16_t>) return type == DType::kInt16;
    if constexpr (std::is_same_v<T, int32_t>) return type == DType::kInt32;
    if constexpr (std::is_same_v<T, uint32_t>) return type == DType::kUInt32;
    if constexpr (std::is_same_v<T, int64_t>) return type == DType::kInt64;
    if constexpr (std::is_same_v<T, uint64_t>) return type == DType::kUInt64;
    if constexpr (std::is_same_v<T, float>) return type == DType::kFloat32;
    return false;
  }
};

/// The one scale and zero point of a tensor.
[[nodiscard]] float scale_of(const Tensor& tensor);
[[nodiscard]] int32_t zero_point_of(const Tensor& tensor);

/// The optional bias at input 2: [count] int32, zeros if absent.
[[nodiscard]] std::vector<int32_t> bias_of(const OpContext& context, int64_t count);

#define THIMBLE_OPERATOR(Kind, name) \
  [[nodiscard]] std::vector<Bytes> evaluate(const Kind& op, const OpContext& context);
#include "thimble/model/operators.def"

}  // namespace thimble::reference
