// SPDX-License-Identifier: Apache-2.0
// What a network computes in float32, bit by bit: every sum begins at 0 and goes by rows, columns
// and channels, then comes the bias; functions are those of thimble_runtime/real_functions.h. Of a
// quantised network: what it computes in real numbers, its constants standing for scale * (q - zero
// point), its activations never rounded to a grid; to choose scales by, and to see what
// quantisation costs.
#pragma once

#include <vector>

#include "thimble/model/graph.h"
#include "thimble/reference/real_values.h"

namespace thimble {

/// The output of one operator; inputs: one per Op::inputs, constants among them.
[[nodiscard]] RealValues evaluate_real(const Graph& graph, const Op& op,
                                       const std::vector<const RealValues*>& inputs);

}  // namespace thimble
