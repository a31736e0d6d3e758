// SPDX-License-Identifier: Apache-2.0
// LEAKY_RELU: requantises with one factor from the zero point on and with another below it.
#include <algorithm>

#include "thimble/reference/activation_range.h"
#include "thimble/reference/bounds_of.h"
#include "thimble/reference/evaluate.h"
#include "thimble/reference/factors.h"
#include "thimble/reference/real_of.h"

namespace thimble::reference {

LeakyReluFactors leaky_relu_factors(const LeakyRelu& op, const Tensor& input,
                                    const Tensor& output) {
  const float in = scale_of(input), out = scale_of(output);
  return {to_fixed_factor(double{in / out}), to_fixed_factor(double{in * op.alpha / out})};
}

std::vector<Bytes> evaluate(const LeakyRelu& op, const OpContext& context) {
  const Tensor& input = context.input(0);
  const Tensor& output = context.output();
  const LeakyReluFactors factors = leaky_relu_factors(op, input, output);
  const IntegerRange range = range_of(output.type);
  std::vector<int32_t> values = integers_from(context.input_bytes(0), input.type);
  for (int32_t& value : values) {
    const int32_t difference = value - zero_point_of(input);
    const int64_t scaled =
        multiply(difference, difference >= 0 ? factors.positive : factors.negative);
    value = static_cast<int32_t>(std::clamp(scaled + zero_point_of(output), range.min, range.max));
  }
  return {bytes_from_integers(values, output.type)};
}

RealValues real_of(const LeakyRelu& op, const RealContext& c) {
  RealValues result = *c.inputs[0];
  for (float& value : result) value = value >= 0 ? value : value * op.alpha;
  return result;
}

ValueRanges bounds_of(const LeakyRelu&, const BoundsContext& c) { return of_each_value(c); }

}  // namespace thimble::reference
