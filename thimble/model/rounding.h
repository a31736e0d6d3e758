// SPDX-License-Identifier: Apache-2.0
// Which of the two ways sums of products are requantised.
#pragma once

#include "thimble/model/graph.h"

namespace thimble {

/// Whether sums of a convolution (x, weights, bias or none) are rounded once: those of int16, in 64
/// bits, with 16 bits of the multiplier, unless the bias is int32. Others: 32 bits, rounded twice.
[[nodiscard]] bool rounds_once(const Graph& graph, const Op& op);

}  // namespace thimble
