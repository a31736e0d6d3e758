// SPDX-License-Identifier: Apache-2.0
// Partition of operators along connected axes, guided by the memory bottleneck (MoteS).
//
//   moves       partition schemes: rows, columns or tokens in blocks, channels in slices, channels
//               inside of blocks (moves/partition.h)
//   search      a beam of sets of schemes; each round adds one where the peak is, under a limit on
//               estimated time (algorithm 1)
//   accounting  exact, or the paper's
#pragma once

#include "thimble/planners/planner.h"

namespace thimble {

/// Options: docs/planners.md.
[[nodiscard]] PlannerDecision plan_motes(const Graph& graph, const Limits& limits,
                                         const PlannerOptions& options);
/// plan_motes() with these orders of instances_of(graph, limits.ports), at least one, instead of
/// those that options say.
[[nodiscard]] PlannerDecision plan_motes(const Graph& graph, const Limits& limits,
                                         const PlannerOptions& options,
                                         std::vector<std::vector<int>> orders);

}  // namespace thimble
