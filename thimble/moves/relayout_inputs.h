// SPDX-License-Identifier: Apache-2.0
// Inputs that the caller hands over in another order of axes (an image as planes), brought to
// row-major order in place by copies before everything else. Then rows are consumed one after the
// other, and outputs may lie over them.
//
//   input v9 of tensor 0, axes as 0 3 1 2      copy v9 -> v0, row-major      everything reads v0
#pragma once

#include <optional>

#include "thimble/plan/instances.h"

namespace thimble {

/// With those inputs in the arena that a copy in place can bring to row-major order. Nothing if
/// there are none.
[[nodiscard]] std::optional<Instances> relayout_inputs(const Graph& graph,
                                                       const Instances& instances);

}  // namespace thimble
