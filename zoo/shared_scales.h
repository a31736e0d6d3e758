// SPDX-License-Identifier: Apache-2.0
// Tensors that must have one scale and zero point, as the format demands of operators that only
// move or select elements, and states of what is kept in them.
#pragma once

#include <vector>

#include "thimble/model/graph.h"

namespace thimble::zoo {

/// The values that a tensor takes.
struct Range {
  float min = 0, max = 0;  ///< zero is always representable
};

/// Gives tensors that must have one scale the range of them all; ranges: per tensor.
void share_scales(const Graph& graph, std::vector<Range>& ranges);

}  // namespace thimble::zoo
