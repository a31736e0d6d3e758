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

#include "thimble/plan/instances.h"

namespace thimble {

/// Axes of an image, columns outermost.
inline const std::vector<int> kColumnsOutermost = {0, 2, 1, 3};

/// What lies in storage keeps its order. Nothing if no image is wider than high, or a port of one
/// is streamed.
[[nodiscard]] std::optional<Instances> by_columns(const Graph& graph, const Instances& instances);

}  // namespace thimble
