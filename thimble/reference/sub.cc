// SPDX-License-Identifier: Apache-2.0
// SUB: both operands, shifted left by 20 bits, are brought to twice the larger scale and
// subtracted.
#include "thimble/reference/activation_range.h"
#include "thimble/reference/common_scale.h"
#include "thimble/reference/evaluate.h"

namespace thimble::reference {

std::vector<Bytes> evaluate(const Sub& op, const OpContext& context) {
  constexpr int kLeftShift = 20;
  const Tensor& output = context.output();
  const CommonScale operands = at_common_scale(context, kLeftShift);
  const FixedFactor factor =
      to_fixed_factor(operands.scale / (double{1 << kLeftShift} * double{scale_of(output)}));
  const ActivationRange range = activation_range(op.activation, output);

  std::vector<int8_t> result;
  for (size_t i = 0; i < operands.a.size(); ++i) {
    // Both are below 2^28: no difference wraps around.
    const int32_t difference = operands.a[i] - operands.b[i];
    result.push_back(requantise(difference, factor, zero_point_of(output), range));
  }
  return {bytes_from(result)};
}

}  // namespace thimble::reference
