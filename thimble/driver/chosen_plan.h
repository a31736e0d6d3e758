// SPDX-License-Identifier: Apache-2.0
// What a planner answers, placed: of a front, the plan that the request's limits or its pick name.
#pragma once

#include <optional>
#include <vector>

#include "thimble/driver/request.h"
#include "thimble/plan/placed_plan.h"
#include "thimble/planners/registry.h"

namespace thimble {

struct ChosenPlan {
  PlacedPlan plan;
  Plan decided;
  std::vector<Note> notes;
  std::optional<Front> front;  ///< of planners that have one
};

/// `choice` made `planned`, of the graph without its accumulators. Throws CompileError for a pick
/// that is none of them.
[[nodiscard]] ChosenPlan chosen_plan(const Graph& graph, const PlannerChoice& choice,
                                     const Planned& planned, const Request& request);

/// Ratio of the fastest plan's instructions that plans may have: as requested; else any with a
/// limit on bytes, and Limits::max_latency without.
[[nodiscard]] double max_latency(const Request& request);

/// The core whose latency model searches compare plans by, with the kernels of `core`: itself, or a
/// Cortex-M4 where it has no model, of which no figure is then shown as the core's.
[[nodiscard]] Core estimated_core(const Core& core);

}  // namespace thimble
