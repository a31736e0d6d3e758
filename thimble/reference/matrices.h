// SPDX-License-Identifier: Apache-2.0
// Where BATCH_MATMUL finds the elements that it multiplies. Private to thimble/reference.
#pragma once

#include "thimble/model/graph.h"

namespace thimble::reference {

/// Element i of the output is the sum over k < depth of
/// x[x_first[i] + k * x_step] * y[y_first[i] + k * y_step].
struct Matrices {
  std::vector<int64_t> x_first, y_first;
  int64_t depth = 0, x_step = 1, y_step = 1;
};
[[nodiscard]] Matrices matrices(const BatchMatMul& op, const Shape& x, const Shape& y,
                                const Shape& out);

}  // namespace thimble::reference
