// SPDX-License-Identifier: Apache-2.0
// What planners decide, finished.
#pragma once

#include "thimble/planners/planner.h"

namespace thimble::testing {

using Decide = PlannerDecision (*)(const Graph&, const Limits&, const PlannerOptions&);
[[nodiscard]] PlannerAnswer planned_by(Decide decide, const Graph& graph, const Limits& limits,
                                       const PlannerOptions& options);

}  // namespace thimble::testing
