// SPDX-License-Identifier: Apache-2.0
// A streamed input that is collected whole before anything else executes: where what its first
// operators would keep of rows takes more, or they need all of it.
//
//   loop over rows    RECEIVE  row i of b0 into b7 [1,49,10,1]      everything else reads b7
#pragma once

#include "thimble/schedule/schedule.h"

namespace thimble {

/// The graph as if its inputs came in row-major order, as rows do.
[[nodiscard]] Graph with_row_major_inputs(const Graph& graph);

/// The schedule for `with_row_major_inputs`, whose one input is resident, behind a loop that
/// receives it.
[[nodiscard]] Schedule collect_input(const Graph& graph, Schedule schedule);

}  // namespace thimble
