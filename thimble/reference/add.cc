// SPDX-License-Identifier: Apache-2.0
// ADD: both operands, shifted left by 20 bits (int16: 15), are brought to twice the larger scale
// and added. int32 is added modulo 2^32.
#include <algorithm>
#include <cmath>

#include "thimble/reference/activation_range.h"
#include "thimble/reference/bounds_of.h"
#include "thimble/reference/common_scale.h"
#include "thimble/reference/factors.h"
#include "thimble/reference/raw_pairs.h"
#include "thimble/reference/real_of.h"

namespace thimble::reference {

FloatSum float_sum(const Tensor& a, const Tensor& b, const Tensor& output) {
  const float of_a = scale_of(a) / scale_of(output), of_b = scale_of(b) / scale_of(output);
  const float zeros =
      of_a * static_cast<float>(zero_point_of(a)) + of_b * static_cast<float>(zero_point_of(b));
  return {{of_a, of_b}, static_cast<float>(zero_point_of(output)) - zeros};
}

namespace {

std::vector<Bytes> onnx_sum(const Add& op, const OpContext& context) {
  const FloatSum sum = float_sum(context.input(0), context.input(1), context.output());
  const ActivationRange range = activation_range(op.activation, context.output());
  return of_raw_pairs(context, [&](int32_t a, int32_t b) {
    const float second = std::fma(static_cast<float>(b), sum.scale[1], sum.constant);
    const float both = std::fma(static_cast<float>(a), sum.scale[0], second);
    return std::clamp(nearest_even(both), range.min, range.max);
  });
}

}  // namespace

std::vector<Bytes> evaluate(const Add& op, const OpContext& context) {
  if (context.output().type == DType::kInt32)
    return of_raw_pairs(context, [](int32_t a, int32_t b) { return wrapping_add(a, b); });
  if (context.arithmetic() == Arithmetic::kOnnx) return onnx_sum(op, context);
  const Tensor& output = context.output();
  const int left_shift = sum_left_shift(context.input(0).type);
  const CommonScale operands = at_common_scale(context, left_shift);
  const FixedFactor factor =
      to_fixed_factor(std::ldexp(operands.scale, -left_shift) / double{scale_of(output)});
  const ActivationRange range = activation_range(op.activation, output);

  std::vector<int32_t> result;
  for (size_t i = 0; i < operands.a.size(); ++i) {
    const int32_t sum = wrapping_add(operands.a[i], operands.b[i]);
    result.push_back(requantised(sum, factor, zero_point_of(output), range));
  }
  return {bytes_from_integers(result, output.type)};
}

RealValues real_of(const Add& op, const RealContext& c) {
  return clamped(op.activation, combined(c, [](float a, float b) { return a + b; }));
}

ValueRanges bounds_of(const Add& op, const BoundsContext& c) {
  if (c.op.attributes.arithmetic == Arithmetic::kOnnx) return within_activation(c, op.activation);
  return of_sum_of_two(c);
}

}  // namespace thimble::reference
