// SPDX-License-Identifier: Apache-2.0
// Which tensors have one scale, by what operators demand.
#pragma once

#include <optional>
#include <vector>

#include "thimble/quantise/demands.h"
#include "thimble/quantise/range.h"

namespace thimble {

/// Per operator: what it demands; nothing: it stays in float32.
using DemandsOfOps = std::vector<std::optional<Demands>>;

/// Scales of tensors of float32 by their TensorId, as int8 and as int16: operators of both formats
/// may read one.
class ScaleGroups {
 public:
  /// Constants that are tied to activations belong to their groups with their own values.
  ScaleGroups(const Graph& graph, const DemandsOfOps& demands, const Ranges& ranges);
  /// A group's: of the union of its ranges, or the one that is fixed where nothing else enters it.
  [[nodiscard]] const Quantization& of(TensorId t, DType type) const {
    return scales_[group(t, type)];
  }
  /// Of one number: of one group.
  [[nodiscard]] size_t group(TensorId t, DType type) const { return root(node(t, type)); }

 private:
  [[nodiscard]] static size_t node(TensorId t, DType type) {
    return 2 * t.index() + (type == DType::kInt16 ? 1 : 0);
  }
  [[nodiscard]] size_t root(size_t node) const;
  void tie(const Graph& graph, const DemandsOfOps& demands);

  std::vector<size_t> parent_;
  std::vector<Quantization> scales_;  ///< by root
};

}  // namespace thimble
