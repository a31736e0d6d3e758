// SPDX-License-Identifier: Apache-2.0
// Row streaming: an order of instances is cut into single ones and fused groups that roll along
// rows or, where the peak needs it, pixels, each tensor between them a ring of what is still
// needed, with outputs over inputs that are consumed; into groups over channels; and into rolled
// groups inside of these (docs/planners.md). Nothing is recomputed unless the user allows it.
//
//   moves       roll, slice channels, rows within channels, output over input; relayout and
//               collecting of ports; rematerialisation
//   search      cuts of a few orders (search/best_cut.h)
//   accounting  bytes of groups (plan/evaluate.h)
#pragma once

#include "thimble/planners/planner.h"
#include "thimble/planners/stream_orders.h"

namespace thimble {

/// Options: granularity=row, pixel or auto.
[[nodiscard]] PlannerDecision plan_stream(const Graph& graph, const Limits& limits,
                                          const PlannerOptions& options);
/// With the orders that are known; those that it searches are added.
[[nodiscard]] PlannerDecision plan_stream(const Graph& graph, const Limits& limits,
                                          const PlannerOptions& options, KnownOrders& orders);

}  // namespace thimble
