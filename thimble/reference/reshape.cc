// SPDX-License-Identifier: Apache-2.0
// RESHAPE: the same elements in row-major order.
#include "thimble/reference/bounds_of.h"
#include "thimble/reference/evaluate.h"
#include "thimble/reference/real_of.h"

namespace thimble::reference {

std::vector<Bytes> evaluate(const Reshape&, const OpContext& context) {
  return {context.input_bytes(0)};
}

RealValues real_of(const Reshape& op, const RealContext& c) { return moved(op, c); }

ValueRanges bounds_of(const Reshape&, const BoundsContext& c) {
  return c.input_bounds(0).empty() ? ValueRanges{}
                                   : reshaped(c.input_bounds(0), channels_of(c.output()));
}

}  // namespace thimble::reference
