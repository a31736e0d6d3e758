// SPDX-License-Identifier: Apache-2.0
// SQUARED_DIFFERENCE: both operands, shifted left by 7 bits (int16: none), are brought to twice the
// larger scale; their difference then has 15 bits and its square 30.
#include <algorithm>
#include <cmath>

#include "thimble/reference/activation_range.h"
#include "thimble/reference/bounds_of.h"
#include "thimble/reference/common_scale.h"
#include "thimble/reference/evaluate.h"
#include "thimble/reference/real_of.h"

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

RealValues real_of(const SquaredDifference&, const RealContext& c) {
  return combined(c, [](float a, float b) { return (a - b) * (a - b); });
}

// Squares are below 2^30. In between the difference may be 0, whose square is the least.
ValueRanges bounds_of(const SquaredDifference&, const BoundsContext& c) {
  const double common = ratio_to_output(c) * double{scale_of(c.output())};
  const bool wide = c.output().type == DType::kInt16;
  const FixedFactor last =
      to_fixed_factor(common * common / ((wide ? 1 : 1 << 14) * double{scale_of(c.output())}));
  ValueRanges result = at_corners(c, last, 0);
  const int32_t square_of_0 = zero_point_of(c.output());
  for (size_t k = 0; k < result.size(); ++k) {
    if (!of_channel(c, 0, k).is_constant() || !of_channel(c, 1, k).is_constant())
      result[k].low = std::min(result[k].low, square_of_0);
  }
  return result;
}

}  // namespace thimble::reference
