// SPDX-License-Identifier: Apache-2.0
// Recurrent layers of int8 that a file has step by step, unrolled or as a loop that was taken
// apart.
#pragma once

#include "thimble/model/graph.h"

namespace thimble {

/// Steps with the same operators, constants and scales, on one row each, which go over all times of
/// a sequence in order or backwards, become one operator with the loop over time inside.
///   x[0], h > step > h1;  x[1], h1 > step > h2;  ...     becomes    x, h > StepLoop > h1, h2, ...
[[nodiscard]] Graph with_step_loops(Graph graph);

}  // namespace thimble
