// SPDX-License-Identifier: Apache-2.0
// The default: all moves together, for memory and time (docs/planners.md).
#pragma once

#include "thimble/planners/planner.h"

namespace thimble {

/// With a budget of bytes the fastest plan that fits; without one the smallest whose estimated time
/// is within the limit. Planned::front has what else there is.
[[nodiscard]] PlannerAnswer plan_auto(const Graph& graph, const Limits& limits,
                                      const PlannerOptions& options);

}  // namespace thimble
