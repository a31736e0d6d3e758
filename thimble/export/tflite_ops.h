// SPDX-License-Identifier: Apache-2.0
// Operators in the format's terms. Private to thimble/export.
#pragma once

#include <string>
#include <vector>

#include "thimble/import/tflite/schema.h"
#include "thimble/model/graph.h"

namespace thimble {

/// An operand that is not a tensor of the graph.
struct ExtraConstant {
  std::string name;  ///< "axes", "paddings", ...
  Shape shape;
  DType type = DType::kInt32;
  Bytes data;
};

struct FileOperator {
  tflite::BuiltinOperator code{};
  int version = 1;
  tflite::BuiltinOptionsUnion options;
  std::vector<ExtraConstant> extras;  ///< operands behind the graph's
  std::vector<size_t> order = {};     ///< of all operands in the file; empty: as they come
};

[[nodiscard]] tflite::TensorType file_type(DType type);

/// Throws CompileError for what the format cannot say.
[[nodiscard]] FileOperator file_operator(const Graph& graph, const Op& op);

}  // namespace thimble
