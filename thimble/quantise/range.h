// SPDX-License-Identifier: Apache-2.0
// The values that tensors of float32 take.
#pragma once

#include <limits>
#include <vector>

#include "thimble/model/graph.h"
#include "thimble/reference/tensor_values.h"

namespace thimble {

/// From min to max. Where nothing was seen min is above max.
struct Range {
  float min = std::numeric_limits<float>::infinity();
  float max = -std::numeric_limits<float>::infinity();

  [[nodiscard]] bool empty() const { return min > max; }
  /// Whether all that was seen are finite numbers.
  [[nodiscard]] bool is_finite() const;
  void include(const Range& other);
  bool operator==(const Range&) const = default;
};

using Ranges = std::vector<Range>;  ///< by TensorId; empty: no activation of float32, or never seen

/// The range of numbers; NaN counts as both infinities.
[[nodiscard]] Range range_of(const std::vector<float>& values);
/// The ranges of the activations in one inference, of whose values these are.
[[nodiscard]] Ranges ranges_of_values(const Graph& graph, const TensorValues& values);
/// The same. inputs: as interpret() takes them.
[[nodiscard]] Ranges observed_ranges(const Graph& graph, const std::vector<Bytes>& inputs);
/// The union, tensor by tensor: the same in whatever order. An empty `all` becomes `some`.
void include(Ranges& all, const Ranges& some);

}  // namespace thimble
