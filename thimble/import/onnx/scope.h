// SPDX-License-Identifier: Apache-2.0
// Names and what they stand for; the nodes that wanted names need.
#pragma once

#include <map>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "thimble/import/onnx/network.h"

namespace thimble::onnx {

/// What names stand for, and how often nodes read them. A branch sees what is around it.
struct Scope {
  const Scope* around = nullptr;
  std::unordered_map<std::string_view, Value> values = {};
  std::unordered_map<std::string_view, int> uses = {};
  std::map<std::string_view, const AttributeRecord*> attributes = {};  ///< of a function's call

  [[nodiscard]] const Value* find(std::string_view name) const {
    for (const Scope* scope = this; scope != nullptr; scope = scope->around) {
      const auto found = scope->values.find(name);
      if (found != scope->values.end()) return &found->second;
    }
    return nullptr;
  }
};

/// All names that a node reads, those of its branches too.
template <class Take>
void for_each_read(const NodeRecord& node, Take take) {
  for (const std::string_view input : node.inputs)
    if (!input.empty()) take(input);
  for (const AttributeRecord& attribute : node.attributes)
    for (const GraphRecord& graph : attribute.graphs) {
      for (const NodeRecord& inner : graph.nodes) for_each_read(inner, take);
      for (const ValueRecord& output : graph.outputs) take(output.name);
    }
}

/// Nodes that the wanted names need, each behind what it reads: as the file has them, where that is
/// an order. Of a circle its nodes are in some order. Throws CompileError where two nodes make a
/// name.
[[nodiscard]] std::vector<const NodeRecord*> needed_in_order(
    const std::vector<NodeRecord>& nodes, const std::vector<std::string_view>& wanted,
    const std::string& where);

}  // namespace thimble::onnx
