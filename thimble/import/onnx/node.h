// SPDX-License-Identifier: Apache-2.0
// A node of an .onnx file with what its attributes say, in any opset.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "thimble/import/onnx/proto.h"

namespace thimble::onnx {

struct Node {
  const NodeRecord* record = nullptr;
  int64_t opset = 0;  ///< of its operator's domain
  int number = -1;    ///< in the file, functions taken apart
  std::string where;  ///< "file.onnx: Conv #3 '/layer1/conv'"
  /// Within a function: the attributes of its call, by name.
  const std::map<std::string_view, const AttributeRecord*>* of_call = nullptr;

  [[nodiscard]] std::string_view op() const { return record->op; }
  [[nodiscard]] size_t input_count() const { return record->inputs.size(); }
  [[nodiscard]] bool has_input(size_t i) const {
    return i < record->inputs.size() && !record->inputs[i].empty();
  }

  /// Null: it has none of this name.
  [[nodiscard]] const AttributeRecord* attribute(std::string_view name) const;
  [[nodiscard]] bool has(std::string_view name) const { return attribute(name) != nullptr; }
  /// What an attribute says, or what its absence means. Throws CompileError for another kind.
  [[nodiscard]] int64_t whole(std::string_view name, int64_t otherwise) const;
  [[nodiscard]] float real(std::string_view name, float otherwise) const;
  [[nodiscard]] std::string text(std::string_view name, std::string otherwise) const;
  [[nodiscard]] std::vector<int64_t> wholes(std::string_view name,
                                            std::vector<int64_t> otherwise = {}) const;
  [[nodiscard]] std::vector<float> reals(std::string_view name) const;

  /// An axis, negative from the end, as one in [0, rank).
  [[nodiscard]] size_t axis(int64_t axis, size_t rank) const;
  /// Axes, ascending, each once.
  [[nodiscard]] std::vector<int> axes(std::vector<int64_t> axes, size_t rank) const;

  /// "is not supported", and what is: an ImportError.
  [[noreturn]] void refuse(const std::string& reason) const;
  /// The file contradicts itself: a Damage.
  [[noreturn]] void damaged(const std::string& what) const;
};

/// "[N..., a, b]" with extents of 1 stretched to the other's. Throws, in the name of the node.
[[nodiscard]] Shape broadcast(const Node& node, const Shape& a, const Shape& b);

}  // namespace thimble::onnx
