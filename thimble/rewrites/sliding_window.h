// SPDX-License-Identifier: Apache-2.0
// A network over a window of time becomes one that takes what is new: the window is a state.
//   x [1,49,10,1] -> ...      by 2 rows:      old [1,49,10,1], new [1,2,10,1] -> SHIFT_IN -> x
#pragma once

#include "thimble/model/graph.h"
#include "thimble/model/hop.h"

namespace thimble {

/// The network whose only input has `hop.rows` rows, and which computes at inference t what `graph`
/// computes of the rows that came last, as many as its window has. Before the first ones there are
/// zeros (of integers: their zero point). A QUANTIZE of the input, and a RESHAPE of a flat one,
/// come before the window: the state has the smaller type, and rows are those of the image. Throws
/// CompileError if there are several inputs, or not as many rows.
[[nodiscard]] Graph sliding_window(const Graph& graph, const Hop& hop);
/// The rows of the window that the input of `graph` is.
[[nodiscard]] int64_t window_rows(const Graph& graph, const Hop& hop);

}  // namespace thimble
