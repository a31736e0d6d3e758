// SPDX-License-Identifier: Apache-2.0
// Row streaming: spans of operators execute row by row, nothing is recomputed, and nothing is kept
// that is no longer needed.
//
// An order of operators is cut into single operators and spans (best_cut.h). Within a span, tensors
// are rings of a few rows, and its output lies over consumed rows of its input:
//
//   conv 3x3/2 > [expand > depthwise > project] x 4        x 150,528 B, rings, y over x
//   \____________________ one span ____________/
//
// An input that comes as planes is turned to rows first, in place, where that helps
// (turn_inputs.h).
#pragma once

#include "thimble/planners/planner.h"

namespace thimble {

/// Option granularity: row, pixel, auto. Throws CompileError where rows cannot pass the ports.
[[nodiscard]] PlannerAnswer plan_stream(const Graph& graph, const Limits& limits,
                                        const PlannerOptions& options);

}  // namespace thimble
