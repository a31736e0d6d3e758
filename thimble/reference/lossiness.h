// SPDX-License-Identifier: Apache-2.0
// How far sums of 16 or 8 bits (Graph::accumulators) can put the values of a tensor off, whatever
// the input.
#pragma once

#include <vector>

#include "thimble/model/graph.h"

namespace thimble {

/// Bounds, in steps of the tensor's own quantisation.
struct Lossiness {
  TensorId tensor;
  double rounding_steps = 0;    ///< each chunk is rounded once, and the result once more
  double saturation_steps = 0;  ///< what the bound of the sums exceeds the accumulator's range by
  /// Scale and zero point are those that the bound from the weights gives; others, measured ones
  /// for instance, cannot be derived from the model.
  bool derived = false;
};

/// One per accumulator.
[[nodiscard]] std::vector<Lossiness> lossiness(const Graph& graph);

}  // namespace thimble
