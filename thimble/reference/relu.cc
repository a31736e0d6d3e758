// SPDX-License-Identifier: Apache-2.0
// RELU, RELU_N1_TO_1, RELU_0_TO_1: requantises from the input's scale to the output's.
#include "thimble/reference/activation_range.h"
#include "thimble/reference/bounds_of.h"
#include "thimble/reference/evaluate.h"
#include "thimble/reference/real_of.h"

namespace thimble::reference {

std::vector<Bytes> evaluate(const Relu& op, const OpContext& context) {
  const Tensor& input = context.input(0);
  const Tensor& output = context.output();
  const float in = scale_of(input), out = scale_of(output);
  // TensorFlow Lite Micro, which has RELU alone, forms the factor in float64; TensorFlow Lite does
  // not.
  const bool is_relu = op.range == Activation::kRelu;
  const FixedFactor factor = to_fixed_factor(is_relu ? double{in} / double{out} : double{in / out});
  const ActivationRange range = activation_range(op.range, output);
  std::vector<int32_t> values = integers_from(context.input_bytes(0), input.type);
  for (int32_t& value : values) {
    value = requantised(value - zero_point_of(input), factor, zero_point_of(output), range);
  }
  return {bytes_from_integers(values, output.type)};
}

RealValues real_of(const Relu& op, const RealContext& c) { return clamped(op.range, *c.inputs[0]); }

ValueRanges bounds_of(const Relu&, const BoundsContext& c) { return of_each_value(c); }

}  // namespace thimble::reference
