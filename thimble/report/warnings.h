// SPDX-License-Identifier: Apache-2.0
// The warnings that a network deserves, and those that a plan or an inspection of it adds.
#pragma once

#include <vector>

#include "thimble/model/graph.h"
#include "thimble/report/inspect.h"
#include "thimble/report/peak.h"
#include "thimble/report/warning.h"

namespace thimble {

/// What bounds of channels (reference/bounds.h) say of a network as it was imported.
[[nodiscard]] std::vector<Warning> network_warnings(const Graph& imported);
/// Ports that are most of the arena at its peak.
[[nodiscard]] std::vector<Warning> port_warnings(const Graph& graph, const PlacedPlan& plan,
                                                 const Peak& peak);
/// Ports that are most of the bottleneck.
[[nodiscard]] std::vector<Warning> port_warnings(const Graph& graph, const Inspection& inspection);

}  // namespace thimble
