// SPDX-License-Identifier: Apache-2.0
// Puts layers over whole sequences in the place of their steps.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "thimble/model/graph.h"

namespace thimble {

/// One row of a tensor whose rows are all of its elements: that of a time.
struct SequenceRow {
  TensorId sequence;
  int64_t time = 0, times = 0;
};

class SequenceLayers {
 public:
  explicit SequenceLayers(Graph of_steps) : graph(std::move(of_steps)), makers(producers(graph)) {}

  /// What the tensor is a row of, if it is cut out of a tensor.
  [[nodiscard]] std::optional<SequenceRow> row_of(TensorId tensor) const;
  /// Whether rows are all of one sequence, from the first time to the last or backwards.
  [[nodiscard]] static std::optional<bool> is_reverse(const std::vector<SequenceRow>& rows);

  /// Begins a layer, whose operators are added next.
  void begin(int file_index, std::string name);
  [[nodiscard]] TensorId add(Attributes attributes, std::vector<TensorId> inputs, Tensor output);
  [[nodiscard]] TensorId tensor(Tensor added);
  /// The tensor in another shape of as many elements.
  [[nodiscard]] TensorId seen_as(TensorId id, Shape shape);
  /// Elements [begin, begin + count) of a row are the tensor, which nothing else makes any more.
  void give(TensorId flat, int64_t begin, int64_t count, TensorId tensor);
  /// What has all hidden states behind each other reads them as they are made.
  void give_joined(TensorId flat, const std::vector<TensorId>& hidden, int64_t units);
  /// The layer's operators stand behind what makes these.
  void end(std::span<const TensorId> reads);

  /// With the layers in their places, without what is made twice and what nothing needs.
  [[nodiscard]] Graph finished();

  Graph graph;
  const std::vector<OpId> makers;  ///< of the graph as it came

 private:
  std::map<size_t, std::vector<Op>> behind_;  ///< layers, before the operator of this number
  std::vector<TensorId> gone_;                ///< what layers make, and operators made
  std::vector<Op> made_;                      ///< of the layer in hand
  int file_index_ = -1;
  std::string name_;
};

}  // namespace thimble
