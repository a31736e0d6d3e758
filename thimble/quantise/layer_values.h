// SPDX-License-Identifier: Apache-2.0
// Several inferences side by side, operator by operator: so that a layer can be changed once its
// inputs are known, and what follows computes with the change.
#pragma once

#include <vector>

#include "thimble/model/graph.h"
#include "thimble/reference/tensor_values.h"

namespace thimble {

class LayerValues {
 public:
  /// graph: without states; must outlive it. inputs: of each inference, as interpret() takes them.
  LayerValues(const Graph& graph, const std::vector<std::vector<Bytes>>& inputs);
  /// All operators before `next`, on `jobs` threads; values that none from there on reads are gone.
  void compute(OpId next, int jobs);
  [[nodiscard]] const Bytes& value(size_t inference, TensorId t) const;
  [[nodiscard]] size_t inferences() const { return values_.size(); }

  /// The most bytes that one inference holds at a time.
  [[nodiscard]] static int64_t peak_bytes(const Graph& graph);

 private:
  const Graph& graph_;
  std::vector<std::vector<TensorId>> last_read_;  ///< by operator: what none behind it reads
  std::vector<TensorValues> values_;
  size_t done_ = 0;  ///< operators
};

}  // namespace thimble
