// SPDX-License-Identifier: Apache-2.0
// Whether a core's kernels can hold a network's weights in less than the fastest of them do.
#pragma once

#include "thimble/model/graph.h"
#include "thimble/target/core.h"

namespace thimble {

/// Those of cores with the DSP extension can; others where convolutions or fully connected layers
/// have weights that fit 4 bits.
[[nodiscard]] bool has_smaller_weights(const Graph& graph, const Core& core);

}  // namespace thimble
