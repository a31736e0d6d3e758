// SPDX-License-Identifier: Apache-2.0
// The planners made of loops over channels: options, the better of two orders, what to say of it.
#pragma once

#include "thimble/planners/planner.h"

namespace thimble {

/// Pex (Liberis and Lane 2023). Options: accounting=paper (only joins of several tensors in place,
/// one channel at a time), accumulators=16 or 8 (lossy).
[[nodiscard]] PlannerAnswer plan_pex(const Graph& graph, const Limits& limits,
                                     const PlannerOptions& options);

/// Loops from a generating to an accumulating operator (FDT, arXiv 2303.17878). No options.
[[nodiscard]] PlannerAnswer plan_depthwise_tiling(const Graph& graph, const Limits& limits,
                                                  const PlannerOptions& options);

}  // namespace thimble
