// SPDX-License-Identifier: Apache-2.0
// LOGISTIC: int8 to int8 in steps of 1/256 from 0, in gemmlowp's fixed point; what was uint8 in
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

constexpr int kInputIntegerBits = 4;  ///< inputs reach from -16 to 16
constexpr int kOutputBits = 8;
constexpr int32_t kOutputZeroPoint = -128;

Fixed<0> logistic_of_negative(Fixed<kInputIntegerBits> x) {
  // 1 - 1 / (1 + e^x), not e^x / (1 + e^x): the last bit is that of the original.
  return Fixed<0>::one() - one_over_one_plus(exp_on_negative_values(x));
}

Fixed<0> logistic(Fixed<kInputIntegerBits> x) {
  const Fixed<kInputIntegerBits> zero;
  if (x == zero) return Fixed<0>::power_of_two(-1);
  return x.raw < 0 ? logistic_of_negative(x) : one_over_one_plus(exp_on_negative_values(zero - x));
}

}  // namespace

std::vector<Bytes> evaluate(const Logistic&, const OpContext& context) {
  if (context.arithmetic() == Arithmetic::kTfliteUint8)
    return through_float(context, [](float x) { return 1.0F / (1.0F + std::exp(-x)); });
  const Tensor& input = context.input(0);
  if (input.type == DType::kInt16) {
    const SigmoidScaling scaling = sigmoid_scaling(scale_of(input), 0);
    std::vector<int16_t> values = context.read<int16_t>(0);
    for (int16_t& value : values) value = logistic_of_int16(value, scaling);
    return {bytes_from(values)};
  }
  const double to_fixed = std::ldexp(double{scale_of(input)}, 31 - kInputIntegerBits);
  const FixedFactor factor = to_fixed_factor(to_fixed);
  // For differences from here on, the logistic is 0 or 1.
  const double radius =
      std::floor(std::ldexp((1 << kInputIntegerBits) - 1, 31 - kInputIntegerBits - factor.shift));
  std::vector<int8_t> values = context.read<int8_t>(0);
  for (int8_t& value : values) {
    const int32_t difference = value - zero_point_of(input);
    if (difference <= -radius) {
      value = INT8_MIN;
    } else if (difference >= radius) {
      value = INT8_MAX;
    } else {
      const Fixed<0> result = logistic(Fixed<kInputIntegerBits>{multiply(difference, factor)});
      const int32_t rounded = rounding_divide_by_power_of_two(result.raw, 31 - kOutputBits);
      value = static_cast<int8_t>(std::min<int32_t>(rounded + kOutputZeroPoint, INT8_MAX));
    }
  }
  return {bytes_from(values)};
}

RealValues real_of(const Logistic&, const RealContext& c) {
  return of_each(c, runtime::real::logistic);
}

ValueRanges bounds_of(const Logistic&, const BoundsContext& c) { return of_each_value(c); }

}  // namespace thimble::reference
