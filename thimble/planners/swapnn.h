// SPDX-License-Identifier: Apache-2.0
// SwapNN (Miao and Lin, 2021): networks out of core, layer by layer, in tiles that go through
// buffers of one size from a card and back.
#pragma once

#include "thimble/planners/planner.h"

namespace thimble {

/// Every value between two layers lies in storage; weights come tile by tile, again for each tile
/// of the map. options: buffer, in bytes.
[[nodiscard]] PlannerDecision plan_swapnn(const Graph& graph, const Limits& limits,
                                          const PlannerOptions& options);

}  // namespace thimble
