// SPDX-License-Identifier: Apache-2.0
// What values the channels of a file's network can take: a walk of its own, over the network as it
// was imported, in which sums are bounded by their middle and radius:
//
//   w x, x in [a, b]: between (w (a + b) - |w| (b - a)) / 2 and (w (a + b) + |w| (b - a)) / 2
//
// and added for each way in which the window lies on the image, by prefix sums over its taps. All
// that goes element by element is the interpreter's values (output_bounds, reference/bounds.h);
// certify() compares what it executes with the ranges.
#pragma once

#include <vector>

#include "thimble/reference/bounds.h"

namespace thimble {

/// Per tensor of the network, whose constants may be results of operators already.
[[nodiscard]] std::vector<ValueRanges> walked_ranges(const Graph& graph,
                                                     const std::vector<OpId>& producers);
/// The output of one operator, which may have other attributes than in the network.
[[nodiscard]] ValueRanges walked_range(const Graph& graph, const Op& op,
                                       const std::vector<OpId>& producers,
                                       const std::vector<ValueRanges>& of_tensors);

/// Whether the output is the input, by its shape and attributes alone.
[[nodiscard]] bool changes_nothing(const Graph& graph, const Op& op);

}  // namespace thimble
