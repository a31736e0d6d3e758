// SPDX-License-Identifier: Apache-2.0
// The file's network, and what is derived of it.
#pragma once

#include <vector>

#include "thimble/model/graph.h"
#include "thimble/reference/bounds.h"

namespace thimble {

/// The file's network. What the rewritten one has as constants is constant in it.
struct FileNetwork {
  Graph graph;
  std::vector<OpId> producers;
  std::vector<ValueRanges> ranges;  ///< per tensor
  /// Per tensor: the first that is made by the same operators of the same tensors, but for those
  /// that change nothing.
  std::vector<TensorId> values;

  [[nodiscard]] TensorId value(TensorId tensor) const { return values[tensor.index()]; }
};

}  // namespace thimble
