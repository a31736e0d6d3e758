// SPDX-License-Identifier: Apache-2.0
// SQUARED_DIFFERENCE: both operands, shifted left by 7 bits, are brought to twice the larger scale;
// their difference then has 15 bits and its square 30.
#include "thimble/reference/activation_range.h"
#include "thimble/reference/common_scale.h"
#include "thimble/reference/evaluate.h"

namespace thimble::reference {

std::vector<Bytes> evaluate(const SquaredDifference&, const OpContext& context) {
  constexpr int kLeftShift = 7;
  const Tensor& output = context.output();
  const CommonScale operands = at_common_scale(context, kLeftShift);
  const FixedFactor factor = to_fixed_factor(
      operands.scale * operands.scale / (double{1 << 2 * kLeftShift} * double{scale_of(output)}));
  const ActivationRange range = activation_range(Activation::kNone, output);

  std::vector<int8_t> result;
  for (size_t i = 0; i < operands.a.size(); ++i) {
    const int32_t difference = operands.a[i] - operands.b[i];
    result.push_back(requantise(difference * difference, factor, zero_point_of(output), range));
  }
  return {bytes_from(result)};
}

}  // namespace thimble::reference
