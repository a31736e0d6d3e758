// SPDX-License-Identifier: Apache-2.0
// L2_NORMALIZATION: values over the root of the sum of their squares, in 1/128. The reciprocal of
// the root by five steps of Newton and Raphson, in gemmlowp's fixed point.
#include <algorithm>
#include <bit>
#include <cmath>
#include <span>

#include "thimble/reference/activation_range.h"
#include "thimble/reference/along_axis.h"
#include "thimble/reference/bounds_of.h"
#include "thimble/reference/evaluate.h"
#include "thimble/reference/real_of.h"

namespace thimble::reference {
namespace {

/// 1 / sqrt(x) * 2^-1/2 for x in [1/8, 1/2) as halves of it.
Fixed<3> reciprocal_root(Fixed<3> x) {
  constexpr Fixed<3> kThreeHalves{(1 << 28) + (1 << 27)};
  constexpr Fixed<0> kRootOfHalf{1518500250};
  const Fixed<3> half{rounding_divide_by_power_of_two(x.raw, 1)};
  Fixed<3> y = Fixed<3>::one();
  for (int step = 0; step < 5; ++step)
    y = rescale<3>(kThreeHalves * y - half * rescale<3>(y * y * y));
  return y * kRootOfHalf;
}

/// 1 / sqrt(sum); sums below 2 count as 1.
FixedFactor reciprocal_root_of(int32_t sum) {
  if (sum <= 1) return {INT32_MAX, 0};
  int right = 11;
  for (; sum >= 1 << 29; sum /= 4) ++right;
  const int pairs = (std::countl_zero(static_cast<uint32_t>(sum)) - 1) / 2 - 1;
  right -= pairs;
  const int32_t root = reciprocal_root(Fixed<3>{(sum << 2 * pairs) >> 1}).raw;
  return right < 0 ? FixedFactor{wrapping_shift_left(root, -right), 0} : FixedFactor{root, -right};
}

}  // namespace

std::vector<Bytes> evaluate(const L2Normalization&, const OpContext& context) {
  constexpr int kOutputBits = 7;
  const Tensor &input = context.input(0), &output = context.output();
  const ActivationRange range = activation_range(Activation::kNone, output);
  const std::vector<int8_t> x = context.read<int8_t>(0);
  const int32_t zero_point = zero_point_of(input);
  std::vector<int8_t> result(x.size());
  for (const AxisLine& line : lines_along(input.shape, static_cast<int>(input.shape.size()) - 1)) {
    int32_t sum = 0;
    for (size_t k = 0; k < line.count; ++k) {
      const int32_t value = x[line.first + k] - zero_point;
      sum += value * value;
    }
    FixedFactor factor = reciprocal_root_of(sum);
    factor.shift += kOutputBits;
    for (size_t k = 0; k < line.count; ++k)
      result[line.first + k] = requantise(x[line.first + k] - zero_point, factor, 0, range);
  }
  return {bytes_from(result)};
}

RealValues real_of(const L2Normalization&, const RealContext& c) {
  RealValues result = *c.inputs[0];
  const auto depth = static_cast<size_t>(c.output_shape().back());
  for (size_t begin = 0; begin < result.size(); begin += depth) {
    const std::span<float> row(&result[begin], depth);
    float sum = 0;
    for (const float value : row) sum += value * value;
    for (float& value : row) value /= std::max(std::sqrt(sum), 1e-6F);
  }
  return result;
}

ValueRanges bounds_of(const L2Normalization&, const BoundsContext& c) {
  return any_value(c.output());
}

}  // namespace thimble::reference
