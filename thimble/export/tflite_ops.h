// SPDX-License-Identifier: Apache-2.0
// Operators in the format's terms: code, version, options and constant operands. Files have the
// subjects of import/tflite/operators/. Private to thimble/export.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "thimble/import/tflite/schema.h"
#include "thimble/model/graph.h"

namespace thimble {

using tflite::BuiltinOperator;

/// An operand that is not a tensor of the graph.
struct ExtraConstant {
  std::string name;  ///< "axes", "paddings", ...
  Shape shape;
  DType type = DType::kInt32;
  Bytes data;
};

struct FileOperator {
  BuiltinOperator code{};
  int version = 1;
  tflite::BuiltinOptionsUnion options;
  std::vector<ExtraConstant> extras;  ///< operands behind the graph's
  std::vector<size_t> order = {};     ///< of all operands in the file; empty: as they come
};

/// An operator of the graph.
struct OpContext {
  const Graph& graph;
  const Op& op;

  [[nodiscard]] const Tensor& input(size_t i) const { return graph.tensor(op.inputs[i]); }
  [[nodiscard]] const Tensor& output() const { return graph.tensor(op.outputs[0]); }
  /// Most operators got their second version with int8.
  [[nodiscard]] int version(int of_int8 = 2) const {
    return input(0).type == DType::kInt8 ? of_int8 : 1;
  }
};

template <class Options>
FileOperator made(BuiltinOperator code, int version, Options options,
                  std::vector<ExtraConstant> extras = {}) {
  FileOperator result{.code = code, .version = version, .options = {}, .extras = std::move(extras)};
  result.options.Set(std::move(options));
  return result;
}

inline FileOperator made(BuiltinOperator code, int version) {
  return {.code = code, .version = version, .options = {}, .extras = {}};
}

template <class T>
ExtraConstant integers(const char* name, const std::vector<T>& values, Shape shape = {}) {
  ExtraConstant result{.name = name, .shape = std::move(shape), .data = {}};
  if (result.shape.empty()) result.shape = {static_cast<int64_t>(values.size())};
  for (const T value : values) {
    const auto narrow = static_cast<int32_t>(value);
    const auto* bytes = reinterpret_cast<const uint8_t*>(&narrow);
    result.data.insert(result.data.end(), bytes, bytes + sizeof narrow);
  }
  return result;
}

[[nodiscard]] tflite::TensorType file_type(DType type);
[[nodiscard]] tflite::ActivationFunctionType fused(Activation activation);
[[nodiscard]] FileOperator reduction(BuiltinOperator code, const std::vector<int>& axes,
                                     const OpContext& c);

// Recurrent operators and those of the audio front end have none: file_operator refuses them.
#define THIMBLE_OPERATOR(Kind, name) \
  [[nodiscard]] FileOperator written(const Kind& op, const OpContext& c);
#include "thimble/model/operators.def"

/// Throws CompileError for what the format cannot say.
[[nodiscard]] FileOperator file_operator(const Graph& graph, const Op& op);

}  // namespace thimble
