// SPDX-License-Identifier: Apache-2.0
// Partial execution by channel (Liberis and Lane 2023, "Pex"): instances execute together, some
// channels at a time, so that large tensors never exist in full.
//
//   moves       order; slice and reduce on channels (moves/slice_channels.h)
//   search      the best cut of an order (channel_cut.h); on networks with more than one order,
//               groups and orders together (loop_search.h)
//   accounting  exact, or the paper's
#pragma once

#include "thimble/planners/planner.h"

namespace thimble {

/// Pex (Liberis and Lane 2023). Options: accounting=paper (only joins of several tensors in place,
/// one channel at a time), accumulators=16 or 8 (lossy).
[[nodiscard]] PlannerDecision plan_pex(const Graph& graph, const Limits& limits,
                                       const PlannerOptions& options);

/// Groups from a generating to an accumulating operator (FDT, arXiv 2303.17878). No options.
[[nodiscard]] PlannerDecision plan_depthwise_tiling(const Graph& graph, const Limits& limits,
                                                    const PlannerOptions& options);

}  // namespace thimble
