// SPDX-License-Identifier: Apache-2.0
// Recurrent layers that a file has step by step, unrolled or as a loop that was taken apart.
#pragma once

#include "thimble/model/graph.h"

namespace thimble {

/// Steps of RNN, GRU (reset behind the product) and LSTM in float32, on one row each, which go over
/// all times of a sequence in order or backwards, become one operator with the loop over time
/// inside; what nothing needs then goes. Sums are then added in another order. Steps of int8 become
/// a StepLoop (step_loops.h), which computes the same.
///   x[0] > cell(h) > h1, x[1] > cell(h1) > h2, ...     becomes    x > Recurrent(h) > h1, h2, ...
[[nodiscard]] Graph with_recurrent_layers(Graph graph);

}  // namespace thimble
