// SPDX-License-Identifier: Apache-2.0
// SOFTMAX over the last axis: int8 to int8 or int16 in gemmlowp's fixed point, int16 by tables.
#include <algorithm>
#include <cmath>
#include <span>

#include "thimble/reference/bounds_of.h"
#include "thimble/reference/evaluate.h"
#include "thimble/reference/factors.h"
#include "thimble/reference/fixed_point.h"
#include "thimble/reference/real_of.h"
#include "thimble/reference/softmax_tables.h"
#include "thimble_runtime/real_functions.h"

namespace thimble::reference {
namespace {

constexpr int kDifferenceIntegerBits = 5;  ///< differences to the maximum reach from -32 to 0
constexpr int kSumIntegerBits = 12;        ///< up to 4,096 channels of exponentials of at most 1

}  // namespace

SoftmaxScaling softmax_scaling(double beta, double input_scale) {
  const double to_fixed =
      beta * input_scale * static_cast<double>(1 << (31 - kDifferenceIntegerBits));
  const FixedFactor factor = to_fixed_factor(std::min(to_fixed, 2147483647.0));
  const double largest = static_cast<double>((1 << kDifferenceIntegerBits) - 1);
  const double radius = std::ldexp(largest, 31 - kDifferenceIntegerBits - factor.shift);
  return {factor, -static_cast<int64_t>(std::floor(radius))};
}

namespace {

Fixed<0> exponential(int32_t difference, FixedFactor factor) {
  return exp_on_negative_values(Fixed<5>{multiply(difference, factor)});
}

/// One row of channels.
void softmax_row(const int8_t* x, size_t channels, const SoftmaxScaling& scaling, DType type,
                 std::vector<int32_t>& result) {
  const int32_t maximum = *std::max_element(x, x + channels);
  Fixed<kSumIntegerBits> sum;
  for (size_t c = 0; c < channels; ++c) {
    const int32_t difference = x[c] - maximum;
    if (difference < scaling.smallest) continue;
    sum = sum + rescale<kSumIntegerBits>(exponential(difference, scaling.factor));
  }
  const Reciprocal scale = reciprocal_of(sum.raw, kSumIntegerBits);
  const IntegerRange range = range_of(type);
  const int output_bits = static_cast<int>(8 * size_bytes(type));
  for (size_t c = 0; c < channels; ++c) {
    const int32_t difference = x[c] - maximum;
    int64_t value = range.min;
    if (difference >= scaling.smallest) {
      // Above 256 shares the exponent exceeds 31, where the original is undefined; here it rounds
      // to 0.
      const Fixed<0> probability = scale.reciprocal * exponential(difference, scaling.factor);
      value += rounding_divide_by_power_of_two(probability.raw, scale.exponent + 31 - output_bits);
    }
    result.push_back(static_cast<int32_t>(std::clamp(value, range.min, range.max)));
  }
}

}  // namespace

int32_t softmax_exponential(int32_t difference, const SoftmaxScaling& scaling) {
  return difference < scaling.smallest ? 0 : exponential(difference, scaling.factor).raw;
}

std::vector<Bytes> evaluate(const Softmax& op, const OpContext& context) {
  const Tensor& input = context.input(0);
  if (input.type == DType::kInt16) {
    return {bytes_from(softmax_of_int16(context.read<int16_t>(0),
                                        static_cast<size_t>(input.shape.back()),
                                        softmax_table_factor(op.beta, scale_of(input))))};
  }
  check(!input.shape.empty() && input.shape.back() > 0, "softmax needs channels");
  const std::vector<int8_t> x = context.read<int8_t>(0);
  const size_t channels = static_cast<size_t>(input.shape.back());
  check(channels <= size_t{1} << kSumIntegerBits, "softmax sums at most 4,096 exponentials");
  const SoftmaxScaling scaling = softmax_scaling(double{op.beta}, double{scale_of(input)});
  const DType type = context.output().type;
  check(type == DType::kInt8 || type == DType::kInt16, "softmax gives int8 or int16");

  std::vector<int32_t> result;
  for (size_t row = 0; row < x.size(); row += channels) {
    softmax_row(&x[row], channels, scaling, type, result);
  }
  return {bytes_from_integers(result, type)};
}

RealValues real_of(const Softmax& op, const RealContext& c) {
  RealValues result = *c.inputs[0];
  const auto depth = static_cast<size_t>(c.output_shape().back());
  for (size_t begin = 0; begin < result.size(); begin += depth) {
    const std::span<float> row(&result[begin], depth);
    const float largest = largest_of(row);
    float sum = 0;
    for (float& value : row) sum += value = runtime::real::exp((value - largest) * op.beta);
    for (float& value : row) value /= sum;
  }
  return result;
}

ValueRanges bounds_of(const Softmax&, const BoundsContext& c) { return any_value(c.output()); }

}  // namespace thimble::reference
