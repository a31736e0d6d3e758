// SPDX-License-Identifier: Apache-2.0
// Images that are wider than high, column by column in memory, as groups that roll along columns
// make and consume them: so outputs lie over inputs there, too. Ports keep their order: copies in
// place bring inputs to the other one before everything else, and outputs back behind it.
//
//   input x, row-major      copy x -> x', columns outermost      everything reads x'
//   ... -> y', columns outermost      copy y' -> y, row-major, an output
#pragma once

#include <optional>
#include <vector>

#include "thimble/analysis/axis_graph.h"
#include "thimble/plan/instances.h"

namespace thimble {

/// Axes of an image, columns outermost.
inline const std::vector<int> kColumnsOutermost = {0, 2, 1, 3};

/// Changed are images whose makers and readers have kernels for that; what lies in storage keeps
/// its order. Nothing if there are none, or a port that is one is streamed.
[[nodiscard]] std::optional<Instances> by_columns(const AxisGraph& axes,
                                                  const Instances& instances);

}  // namespace thimble
