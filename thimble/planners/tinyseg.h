// SPDX-License-Identifier: Apache-2.0
// TinySeg (Chae, Kim and Heo): tensors that are idle while much else is live lie in storage for
// that time (tinyseg_spills.h). The plan of what its algorithms decide: whole operators in the
// order of the file; what is fetched for a concatenation, and that for a convolution, comes row by
// row, so that neither is whole in memory.
#pragma once

#include "thimble/planners/planner.h"

namespace thimble {

[[nodiscard]] PlannerDecision plan_tinyseg(const Graph& graph, const Limits& limits,
                                           const PlannerOptions& options);

}  // namespace thimble
