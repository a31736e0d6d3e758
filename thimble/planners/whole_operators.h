// SPDX-License-Identifier: Apache-2.0
// Orders of whole operators.
//
//   moves       order
//   search      none, or the least peak (search/order.h)
//   accounting  exact
#pragma once

#include "thimble/planners/planner.h"

namespace thimble {

/// The order of the file. No options.
[[nodiscard]] PlannerDecision plan_original(const Graph& graph, const Limits& limits,
                                            const PlannerOptions& options);

/// Next, the operator that leaves the fewest live bytes. No options.
[[nodiscard]] PlannerDecision plan_greedy(const Graph& graph, const Limits& limits,
                                          const PlannerOptions& options);

/// The least peak (Liberis and Lane 2019). Options: states=N.
[[nodiscard]] PlannerDecision plan_reorder(const Graph& graph, const Limits& limits,
                                           const PlannerOptions& options);

}  // namespace thimble
