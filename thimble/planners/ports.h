// SPDX-License-Identifier: Apache-2.0
// Inputs and outputs that do not lie in the arena.
#pragma once

#include <string>

#include "thimble/model/graph.h"
#include "thimble/schedule/memories.h"

namespace thimble {

/// Throws CompileError if the network's inputs cannot come, or its outputs go, as asked for,
/// whatever the schedule. whole_planner: name of a planner that keeps tensors whole; empty if it
/// does not.
void check_ports(const Graph& graph, const PortPlaces& ports, const std::string& whole_planner);

}  // namespace thimble
