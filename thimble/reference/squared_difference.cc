// SPDX-License-Identifier: Apache-2.0
// SQUARED_DIFFERENCE: both operands, shifted left by 7 bits (int16: none), are brought to twice the
// larger scale; their difference then has 15 bits and its square 30.
#include <cmath>

#include "thimble/reference/activation_range.h"
#include "thimble/reference/common_scale.h"
#include "thimble/reference/evaluate.h"

namespace thimble::reference {

std::vector<Bytes> evaluate(const SquaredDifference&, const OpContext& context) {
  const Tensor& output = context.output();
  const int left_shift = output.type == DType::kInt16 ? 0 : 7;
  const CommonScale operands = at_common_scale(context, left_shift);
  const FixedFactor factor =
      to_fixed_factor(operands.scale * operands.scale /
                      (std::ldexp(1.0, 2 * left_shift) * double{scale_of(output)}));
  const ActivationRange range = activation_range(Activation::kNone, output);

  std::vector<int32_t> result;
  for (size_t i = 0; i < operands.a.size(); ++i) {
    const int32_t difference = operands.a[i] - operands.b[i];
    result.push_back(requantised(difference * difference, factor, zero_point_of(output), range));
  }
  return {bytes_from_integers(result, output.type)};
}

}  // namespace thimble::reference
