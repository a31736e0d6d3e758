// SPDX-License-Identifier: Apache-2.0
// TANH: int8 to int8 in steps of 1/128 from 0, in gemmlowp's fixed point; what was uint8 in
// float32; int16 by sigmoid.h.
#include <algorithm>
#include <cmath>

#include "thimble/reference/bounds_of.h"
#include "thimble/reference/evaluate.h"
#include "thimble/reference/fixed_point.h"
#include "thimble/reference/float_table.h"
#include "thimble/reference/real_of.h"
#include "thimble/reference/sigmoid.h"
#include "thimble_runtime/real_functions.h"

namespace thimble::reference {
namespace {

constexpr int kTanhIntegerBits = 4;  ///< inputs reach from -16 to 16
constexpr int kTanhOutputBits = 7;

Fixed<0> tanh_of_magnitude(Fixed<kTanhIntegerBits> minus_x) {
  return one_minus_over_one_plus(
      exp_on_negative_values(Fixed<kTanhIntegerBits + 1>{minus_x.raw}));  // e^(-2 x)
}

int8_t tanh_of_int8(int32_t difference, FixedFactor factor, double radius) {
  if (difference <= -radius) return INT8_MIN;
  if (difference >= radius) return INT8_MAX;
  const int32_t x = multiply(difference, factor);
  if (x == 0) return 0;
  const int32_t magnitude = tanh_of_magnitude({x < 0 ? x : -x}).raw;
  const int32_t rounded =
      rounding_divide_by_power_of_two(x < 0 ? -magnitude : magnitude, 31 - kTanhOutputBits);
  return static_cast<int8_t>(std::clamp<int32_t>(rounded, INT8_MIN, INT8_MAX));
}

}  // namespace

std::vector<Bytes> evaluate(const Tanh&, const OpContext& context) {
  if (context.arithmetic() == Arithmetic::kTfliteUint8)
    return through_float(context, [](float x) { return std::tanh(x); });
  const Tensor& input = context.input(0);
  if (input.type == DType::kInt16) {
    const SigmoidScaling scaling = sigmoid_scaling(scale_of(input), 1);
    std::vector<int16_t> values = context.read<int16_t>(0);
    for (int16_t& value : values) value = tanh_of_int16(value, scaling);
    return {bytes_from(values)};
  }
  const FixedFactor factor =
      to_fixed_factor(std::ldexp(double{scale_of(input)}, 31 - kTanhIntegerBits));
  // For differences from here on, the function is -1 or 1.
  const double radius =
      std::floor(std::ldexp((1 << kTanhIntegerBits) - 1, 31 - kTanhIntegerBits - factor.shift));
  std::vector<int8_t> values = context.read<int8_t>(0);
  for (int8_t& value : values) value = tanh_of_int8(value - zero_point_of(input), factor, radius);
  return {bytes_from(values)};
}

RealValues real_of(const Tanh&, const RealContext& c) { return of_each(c, runtime::real::tanh); }

ValueRanges bounds_of(const Tanh&, const BoundsContext& c) { return of_each_value(c); }

}  // namespace thimble::reference
