// SPDX-License-Identifier: Apache-2.0
// Which tensors have one scale, by what operators demand.
#pragma once

#include <optional>
#include <vector>

#include "thimble/quantise/demands.h"
#include "thimble/quantise/range.h"

namespace thimble {

/// Per operator: what it demands in int8; nothing: it stays in float32.
using DemandsOfOps = std::vector<std::optional<Demands>>;

/// Scales by TensorId, of tensors of float32 that an operator in int8 reads or writes.
class ScaleGroups {
 public:
  /// Constants that are tied to activations belong to their groups with their own values.
  ScaleGroups(const Graph& graph, const DemandsOfOps& demands, const Ranges& ranges);
  /// A group's: of the union of its ranges, or the one that is fixed where nothing else enters it.
  [[nodiscard]] const Quantization& of(TensorId t) const { return scales_[root(t)]; }

 private:
  [[nodiscard]] size_t root(TensorId t) const;
  void join(TensorId a, TensorId b);
  void tie(const Graph& graph, const DemandsOfOps& demands);

  std::vector<size_t> parent_;
  std::vector<Quantization> scales_;  ///< by root
};

}  // namespace thimble
