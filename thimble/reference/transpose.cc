// SPDX-License-Identifier: Apache-2.0
// TRANSPOSE: output axis i is input axis permutation[i], for every element type.
#include "thimble/reference/bounds_of.h"
#include "thimble/reference/evaluate.h"
#include "thimble/reference/real_of.h"

namespace thimble::reference {

std::vector<Bytes> evaluate(const Transpose& op, const OpContext& context) {
  const Tensor& input = context.input(0);
  return {permute(context.input_bytes(0), input.shape, size_bytes(input.type), op.permutation)};
}

RealValues real_of(const Transpose& op, const RealContext& c) { return moved(op, c); }

ValueRanges bounds_of(const Transpose& op, const BoundsContext& c) {
  const bool keeps_channels = op.permutation.empty() ||
                              op.permutation.back() == static_cast<int>(op.permutation.size()) - 1;
  if (keeps_channels || c.input_bounds(0).empty()) return c.input_bounds(0);
  return everywhere(c.output(), hull(c.input_bounds(0)));
}

}  // namespace thimble::reference
