// SPDX-License-Identifier: Apache-2.0
// SUB: both operands, shifted left by 20 bits (int16: 15), are brought to twice the larger scale
// and subtracted, int32 modulo 2^32. Quotients of scales are formed in float32, unlike those of
// ADD and of SUB of uint8.
#include <cmath>

#include "thimble/reference/activation_range.h"
#include "thimble/reference/bounds_of.h"
#include "thimble/reference/common_scale.h"
#include "thimble/reference/raw_pairs.h"
#include "thimble/reference/real_of.h"

namespace thimble::reference {

std::vector<Bytes> evaluate(const Sub& op, const OpContext& context) {
  if (context.output().type == DType::kInt32)
    return of_raw_pairs(context, [](int32_t a, int32_t b) { return wrapping_sub(a, b); });
  const Tensor& output = context.output();
  const int left_shift = sum_left_shift(context.input(0).type);
  const Quotients quotients = difference_quotients(context.arithmetic());
  const CommonScale operands = at_common_scale(context, left_shift, quotients);
  const FixedFactor factor = to_fixed_factor(
      quotient(std::ldexp(operands.scale, -left_shift), double{scale_of(output)}, quotients));
  const ActivationRange range = activation_range(op.activation, output);

  std::vector<int32_t> result;
  for (size_t i = 0; i < operands.a.size(); ++i) {
    // Both are below 2^28 (int16: 2^30): no difference wraps around.
    const int32_t difference = operands.a[i] - operands.b[i];
    result.push_back(requantised(difference, factor, zero_point_of(output), range));
  }
  return {bytes_from_integers(result, output.type)};
}

RealValues real_of(const Sub& op, const RealContext& c) {
  return clamped(op.activation, combined(c, [](float a, float b) { return a - b; }));
}

ValueRanges bounds_of(const Sub&, const BoundsContext& c) { return of_sum_of_two(c); }

}  // namespace thimble::reference
