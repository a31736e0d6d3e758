// SPDX-License-Identifier: Apache-2.0
// Small .tflite files for tests: built from literals, open to damage before they are packed.
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "thimble/import/tflite/schema.h"
#include "thimble/model/graph.h"

namespace thimble::testing {

template <class T>
Bytes bytes_of(const std::vector<T>& values) {
  Bytes result(values.size() * sizeof(T));
  if (!result.empty()) std::memcpy(result.data(), values.data(), result.size());
  return result;
}

[[nodiscard]] std::vector<float> floats_of(const Bytes& bytes);
[[nodiscard]] float sigmoid(float x);

/// A model with the empty buffer 0 and one subgraph, to which everything is added until another one
/// is begun. Numbers that are returned are those of the file.
class TfliteBuilder {
 public:
  using Dims = std::vector<int32_t>;

  TfliteBuilder();

  /// An activation with scale 0.5 and zero point -3; without both if it is float32.
  int32_t tensor(Dims shape, tflite::TensorType type = tflite::TensorType::INT8);
  int32_t constant(Dims shape, tflite::TensorType type, Bytes data);
  int32_t constant(const std::vector<int32_t>& values);
  /// int8 zeros with a scale per index of `axis`.
  int32_t weights(Dims shape, int32_t axis);
  /// int32 zeros.
  int32_t bias(int32_t channels);

  template <class Options>
  void op(tflite::BuiltinOperator code, Dims inputs, Dims outputs, Options options) {
    add_op(code, std::move(inputs), std::move(outputs)).builtin_options.Set(std::move(options));
  }
  void op(tflite::BuiltinOperator code, Dims inputs, Dims outputs) {
    add_op(code, std::move(inputs), std::move(outputs));
  }
  /// options: a FlexBuffer.
  void custom(const std::string& name, Dims inputs, Dims outputs, Bytes options);
  void inputs(Dims tensors) { network().inputs = std::move(tensors); }
  void outputs(Dims tensors) { network().outputs = std::move(tensors); }

  /// Begins a further subgraph; adds to one again.
  int32_t begin_subgraph();
  void return_to(int32_t subgraph) { subgraph_ = static_cast<size_t>(subgraph); }

  [[nodiscard]] tflite::SubGraphT& network() { return *model.subgraphs[subgraph_]; }
  [[nodiscard]] tflite::TensorT& at(int32_t index) { return *network().tensors[size_t(index)]; }
  [[nodiscard]] tflite::OperatorT& op_at(size_t index) { return *network().operators[index]; }
  [[nodiscard]] Bytes bytes() const;

  tflite::ModelT model;

 private:
  tflite::OperatorT& add_op(tflite::BuiltinOperator code, Dims inputs, Dims outputs);

  size_t subgraph_ = 0;
};

/// 0 input 1x8x8x3 -> CONV_2D 3x3 SAME, stride 2 (weights 1, bias 2) -> 3 -> RESHAPE -> 5 ->
/// FULLY_CONNECTED (weights 6, no bias) -> 7 -> SOFTMAX -> 8 output 1x2.
[[nodiscard]] TfliteBuilder small_network();
/// 0 input 1x16 int8 -> TOPK_V2 -> 1 -> RELU -> 2 -> TOPK_V2 -> 3 output; 2 -> FULLY_CONNECTED of
/// float32 (weights 4) -> 5 output 1x8.
[[nodiscard]] TfliteBuilder unsupported_network();

}  // namespace thimble::testing
