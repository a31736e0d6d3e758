// SPDX-License-Identifier: Apache-2.0
// L2_POOL_2D: the root of the mean of the squares in a window, of float32 alone.
#include <cmath>

#include "thimble/model/error.h"
#include "thimble/reference/bounds_of.h"
#include "thimble/reference/real_of.h"
#include "thimble/reference/real_pools.h"

namespace thimble::reference {

std::vector<Bytes> evaluate(const L2Pool2D&, const OpContext&) {
  throw InternalError("an operator of float32 was given other operands");
}

RealValues real_of(const L2Pool2D& op, const RealContext& c) {
  return clamped(op.activation, pooled(
                                    op.window, c, 0, [](float a, float b) { return a + b * b; },
                                    [](float sum, float count) { return std::sqrt(sum / count); }));
}

ValueRanges bounds_of(const L2Pool2D&, const BoundsContext& c) { return any_value(c.output()); }

}  // namespace thimble::reference
