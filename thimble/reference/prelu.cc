// SPDX-License-Identifier: Apache-2.0
// PRELU: requantises with one factor from the zero point on; below it, the product with alpha with
// another.
#include <algorithm>

#include "thimble/reference/activation_range.h"
#include "thimble/reference/bounds_of.h"
#include "thimble/reference/evaluate.h"
#include "thimble/reference/factors.h"
#include "thimble/reference/real_of.h"

namespace thimble::reference {

PreluFactors prelu_factors(Arithmetic arithmetic, const Tensor& input, const Tensor& alpha,
                           const Tensor& output) {
  const float in = scale_of(input), slope = scale_of(alpha), out = scale_of(output);
  if (arithmetic == Arithmetic::kTfliteUint8)
    return {to_fixed_factor(double{in / out}), to_fixed_factor(double{in * slope / out})};
  return {to_fixed_factor(double{in} / double{out}),
          to_fixed_factor(double{in} * double{slope} / double{out})};
}

std::vector<Bytes> evaluate(const Prelu&, const OpContext& context) {
  const Tensor& input = context.input(0);
  const Tensor& alpha = context.input(1);
  const Tensor& output = context.output();
  const PreluFactors factors = prelu_factors(context.arithmetic(), input, alpha, output);
  const ActivationRange range = activation_range(Activation::kNone, output);
  const std::vector<int32_t> x = integers_from(context.input_bytes(0), input.type);
  const std::vector<int32_t> slopes = integers_from(context.input_bytes(1), alpha.type);
  const std::vector<int64_t> from =
      offsets(output.shape, broadcast_strides(input.shape, output.shape));
  const std::vector<int64_t> with =
      offsets(output.shape, broadcast_strides(alpha.shape, output.shape));
  std::vector<int32_t> result;
  for (size_t i = 0; i < from.size(); ++i) {
    const int32_t value = x[static_cast<size_t>(from[i])] - zero_point_of(input);
    const int32_t slope = slopes[static_cast<size_t>(with[i])] - zero_point_of(alpha);
    result.push_back(
        value >= 0 ? requantised(value, factors.positive, zero_point_of(output), range)
                   : requantised(value * slope, factors.negative, zero_point_of(output), range));
  }
  return {bytes_from_integers(result, output.type)};
}

RealValues real_of(const Prelu&, const RealContext& c) {
  return combined(c, [](float x, float alpha) { return x >= 0 ? x : x * alpha; });
}

ValueRanges bounds_of(const Prelu&, const BoundsContext& c) { return any_value(c.output()); }

}  // namespace thimble::reference
