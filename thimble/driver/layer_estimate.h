// SPDX-License-Identifier: Apache-2.0
// Where the time goes, before any planning: what each operator takes as a whole, with the target's
// kernels, in the order of the graph. A plan that tiles or streams takes more.
#pragma once

#include <optional>

#include "thimble/program/estimate.h"
#include "thimble/target/target.h"

namespace thimble {

/// On the target's core, which has a latency model, or a Cortex-M4 where none is named. Steps are
/// operators; a reshape takes nothing.
[[nodiscard]] std::optional<CoreEstimate> layer_estimate(const Graph& graph, const Target& target);

}  // namespace thimble
