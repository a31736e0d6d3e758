// SPDX-License-Identifier: Apache-2.0
// Which of the two ways sums of products are requantised.
#pragma once

#include "thimble/model/graph.h"

namespace thimble {

/// Of a convolution (inputs: x, weights, bias or none). int16: sums of 64 bits, rounded once with
/// 16 bits of the multiplier, unless the bias is int32. All others: sums of 32 bits, rounded twice.
[[nodiscard]] bool rounds_once(const Graph& graph, const Op& op);

}  // namespace thimble
