// SPDX-License-Identifier: Apache-2.0
// Patch-based inference (MCUNetV2, Lin et al. 2021): the first stage of the network executed in
// p x p patches of its last tensor, what neighbours share computed by each; then whole operators.
#pragma once

#include "thimble/planners/planner.h"

namespace thimble {

/// Options: patches=P (along each axis), split=N (operator of the file that ends the stage),
/// accounting=paper (the split tensor has bytes of its own). What is not given is chosen: least
/// peak, then fewest recomputed MACs; no patches at all where they gain nothing.
[[nodiscard]] PlannerDecision plan_patch(const Graph& graph, const Limits& limits,
                                         const PlannerOptions& options);

}  // namespace thimble
