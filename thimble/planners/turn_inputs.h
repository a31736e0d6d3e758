// SPDX-License-Identifier: Apache-2.0
// Inputs that the caller hands over in another order of axes (an image as planes), brought to
// row-major order in place by the first steps. Then rows are consumed one after the other, and
// outputs may lie over them.
//
//   input b0, axes as 0 3 1 2      copy in place b0 -> b7, row-major      everything else reads b7
#pragma once

#include <optional>

#include "thimble/schedule/schedule.h"

namespace thimble {

/// The graph as if its inputs came in row-major order: those that a copy in place can turn. Nothing
/// if there are none.
[[nodiscard]] std::optional<Graph> with_turned_inputs(const Graph& graph);

/// The schedule for `graph` that begins with the copies and goes on as the one for `turned`.
[[nodiscard]] Schedule turn_inputs(const Graph& graph, const Graph& turned, Schedule schedule);

}  // namespace thimble
