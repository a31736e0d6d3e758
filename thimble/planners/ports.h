// SPDX-License-Identifier: Apache-2.0
// Inputs and outputs that do not lie in the arena.
#pragma once

#include <string>

#include "thimble/schedule/schedule.h"

namespace thimble {

/// Throws CompileError if the network's inputs cannot come, or its outputs go, as asked for,
/// whatever the schedule. whole_planner: name of a planner that keeps tensors whole; empty if it
/// does not.
void check_ports(const Graph& graph, const PortPlaces& ports, const std::string& whole_planner);

/// Moves user ports out of the arena: nothing shares bytes with them.
void place_ports(Schedule& schedule, const PortPlaces& ports);

}  // namespace thimble
