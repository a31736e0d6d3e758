// SPDX-License-Identifier: Apache-2.0
// Which element of an operand each element of the output is.
#pragma once

#include <vector>

#include "thimble/model/graph.h"

namespace thimble::reference {

/// GATHER: per element of the output, its number in x.
[[nodiscard]] std::vector<size_t> gathered(const Gather& op, const Shape& x, const Shape& indices,
                                           const std::vector<int32_t>& values);
/// DYNAMIC_UPDATE_SLICE: per element of x its number in the update, or -1.
[[nodiscard]] std::vector<int64_t> updated(const Shape& x, const Shape& update,
                                           const std::vector<int32_t>& begins);

}  // namespace thimble::reference
