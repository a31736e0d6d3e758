// SPDX-License-Identifier: Apache-2.0
// One overload per operator, each in the file of its name: inputs to outputs. A new operator does
// not compile until it has one.
#pragma once

#include <type_traits>
#include <vector>

#include "thimble/model/error.h"
#include "thimble/reference/elements.h"
#include "thimble/reference/interpreter.h"

namespace thimble::reference {

/// What an operator sees of the network.
struct OpContext {
  const Graph& graph;
  const Op& op;
  const TensorValues& values;

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

[[nodiscard]] std::vector<Bytes> evaluate(const Conv2D& op, const OpContext& context);
[[nodiscard]] std::vector<Bytes> evaluate(const DepthwiseConv2D& op, const OpContext& context);
[[nodiscard]] std::vector<Bytes> evaluate(const FullyConnected& op, const OpContext& context);
[[nodiscard]] std::vector<Bytes> evaluate(const BatchMatMul& op, const OpContext& context);
[[nodiscard]] std::vector<Bytes> evaluate(const AveragePool2D& op, const OpContext& context);
[[nodiscard]] std::vector<Bytes> evaluate(const MaxPool2D& op, const OpContext& context);
[[nodiscard]] std::vector<Bytes> evaluate(const Mean& op, const OpContext& context);
[[nodiscard]] std::vector<Bytes> evaluate(const Add& op, const OpContext& context);
[[nodiscard]] std::vector<Bytes> evaluate(const Mul& op, const OpContext& context);
[[nodiscard]] std::vector<Bytes> evaluate(const Pad& op, const OpContext& context);
[[nodiscard]] std::vector<Bytes> evaluate(const Reshape& op, const OpContext& context);
[[nodiscard]] std::vector<Bytes> evaluate(const Transpose& op, const OpContext& context);
[[nodiscard]] std::vector<Bytes> evaluate(const Softmax& op, const OpContext& context);
[[nodiscard]] std::vector<Bytes> evaluate(const Relu& op, const OpContext& context);
[[nodiscard]] std::vector<Bytes> evaluate(const Relu6& op, const OpContext& context);
[[nodiscard]] std::vector<Bytes> evaluate(const LeakyRelu& op, const OpContext& context);
[[nodiscard]] std::vector<Bytes> evaluate(const Quantize& op, const OpContext& context);
[[nodiscard]] std::vector<Bytes> evaluate(const Dequantize& op, const OpContext& context);
[[nodiscard]] std::vector<Bytes> evaluate(const Concat& op, const OpContext& context);
[[nodiscard]] std::vector<Bytes> evaluate(const Logistic& op, const OpContext& context);
[[nodiscard]] std::vector<Bytes> evaluate(const Slice& op, const OpContext& context);
[[nodiscard]] std::vector<Bytes> evaluate(const ResizeNearestNeighbor& op,
                                          const OpContext& context);
[[nodiscard]] std::vector<Bytes> evaluate(const ResizeBilinear& op, const OpContext& context);
[[nodiscard]] std::vector<Bytes> evaluate(const Sub& op, const OpContext& context);
[[nodiscard]] std::vector<Bytes> evaluate(const SquaredDifference& op, const OpContext& context);
[[nodiscard]] std::vector<Bytes> evaluate(const Rsqrt& op, const OpContext& context);
[[nodiscard]] std::vector<Bytes> evaluate(const Gelu& op, const OpContext& context);
[[nodiscard]] std::vector<Bytes> evaluate(const TransposeConv& op, const OpContext& context);
[[nodiscard]] std::vector<Bytes> evaluate(const Maximum& op, const OpContext& context);
[[nodiscard]] std::vector<Bytes> evaluate(const Minimum& op, const OpContext& context);
[[nodiscard]] std::vector<Bytes> evaluate(const Tanh& op, const OpContext& context);
[[nodiscard]] std::vector<Bytes> evaluate(const Elu& op, const OpContext& context);
[[nodiscard]] std::vector<Bytes> evaluate(const HardSwish& op, const OpContext& context);
[[nodiscard]] std::vector<Bytes> evaluate(const Abs& op, const OpContext& context);
[[nodiscard]] std::vector<Bytes> evaluate(const LogSoftmax& op, const OpContext& context);
[[nodiscard]] std::vector<Bytes> evaluate(const Prelu& op, const OpContext& context);
[[nodiscard]] std::vector<Bytes> evaluate(const Sum& op, const OpContext& context);
[[nodiscard]] std::vector<Bytes> evaluate(const Div& op, const OpContext& context);
[[nodiscard]] std::vector<Bytes> evaluate(const Comparison& op, const OpContext& context);
[[nodiscard]] std::vector<Bytes> evaluate(const Select& op, const OpContext& context);
[[nodiscard]] std::vector<Bytes> evaluate(const Cast& op, const OpContext& context);
[[nodiscard]] std::vector<Bytes> evaluate(const Gather& op, const OpContext& context);
[[nodiscard]] std::vector<Bytes> evaluate(const UpdateSlice& op, const OpContext& context);
[[nodiscard]] std::vector<Bytes> evaluate(const DetectionPostProcess& op, const OpContext& context);
[[nodiscard]] std::vector<Bytes> evaluate(const ArgMax& op, const OpContext& context);
[[nodiscard]] std::vector<Bytes> evaluate(const CumSum& op, const OpContext& context);
[[nodiscard]] std::vector<Bytes> evaluate(const L2Normalization& op, const OpContext& context);
[[nodiscard]] std::vector<Bytes> evaluate(const SvdfFeatures& op, const OpContext& context);
[[nodiscard]] std::vector<Bytes> evaluate(const ShiftIn& op, const OpContext& context);
[[nodiscard]] std::vector<Bytes> evaluate(const SvdfOutput& op, const OpContext& context);
[[nodiscard]] std::vector<Bytes> evaluate(const Lstm& op, const OpContext& context);
[[nodiscard]] std::vector<Bytes> evaluate(const SignalWindow& op, const OpContext& context);
[[nodiscard]] std::vector<Bytes> evaluate(const SignalAutoShift& op, const OpContext& context);
[[nodiscard]] std::vector<Bytes> evaluate(const SignalShift& op, const OpContext& context);
[[nodiscard]] std::vector<Bytes> evaluate(const SignalRfft& op, const OpContext& context);
[[nodiscard]] std::vector<Bytes> evaluate(const SignalIrfft& op, const OpContext& context);
[[nodiscard]] std::vector<Bytes> evaluate(const SignalEnergy& op, const OpContext& context);
[[nodiscard]] std::vector<Bytes> evaluate(const SignalFilterBank& op, const OpContext& context);
[[nodiscard]] std::vector<Bytes> evaluate(const SignalSquareRoot& op, const OpContext& context);
[[nodiscard]] std::vector<Bytes> evaluate(const SignalNoise& op, const OpContext& context);
[[nodiscard]] std::vector<Bytes> evaluate(const SignalSubtraction& op, const OpContext& context);
[[nodiscard]] std::vector<Bytes> evaluate(const SignalPcan& op, const OpContext& context);
[[nodiscard]] std::vector<Bytes> evaluate(const SignalLog& op, const OpContext& context);
/// Operators of float32 alone, which real.h has.
[[nodiscard]] std::vector<Bytes> evaluate(const FloorDiv& op, const OpContext& context);
[[nodiscard]] std::vector<Bytes> evaluate(const L2Pool2D& op, const OpContext& context);
[[nodiscard]] std::vector<Bytes> evaluate(const Elementwise& op, const OpContext& context);

}  // namespace thimble::reference
