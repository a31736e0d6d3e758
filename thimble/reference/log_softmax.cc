// SPDX-License-Identifier: Apache-2.0
// LOG_SOFTMAX over the last axis, int8 to int8 in steps of 1/16 from 127, in gemmlowp's fixed point
// (log_softmax.h of TensorFlow Lite's reference kernels).
#include <algorithm>
#include <bit>
#include <cmath>
#include <span>

#include "thimble/reference/bounds_of.h"
#include "thimble/reference/evaluate.h"
#include "thimble/reference/factors.h"
#include "thimble/reference/fixed_point.h"
#include "thimble/reference/real_of.h"
#include "thimble_runtime/real_functions.h"

namespace thimble::reference {

FixedFactor inverse_scaling(FixedFactor factor) {
  return to_fixed_factor(std::ldexp(1.0, 31 - factor.shift) / factor.multiplier);
}

namespace {

using LogSum = Fixed<12>;

/// ln(x) for x >= 1. x = r 2^k with r near 2^(-1/4); ln(r) is a quotient of polynomials in
/// 2 (r - 2^(-1/4)). The original's names are in comments.
Fixed<5> logarithm(LogSum x) {
  constexpr Fixed<0> kLog2{1488522236}, kRootOfHalf{1518500250}, kRootOfRootOfHalf{1805811301};
  constexpr Fixed<0> kAlphaN{117049297}, kAlphaD{127690142}, kAlphaI{1057819769},
      kAlphaF{638450708};
  constexpr Fixed<6> kQuarter{1 << 23};
  const int zeros = std::countl_zero(static_cast<uint32_t>(x.raw));
  const Fixed<0> z{x.raw};
  // Two ways to write x; the smaller r (and so the larger k) is the one near 2^(-1/4).
  const Fixed<0> shifted{saturating_shift_left(x.raw, zeros - 1)};
  const int32_t r_a = saturating_shift_left((shifted * kRootOfHalf).raw, 1);
  const Fixed<6> k_a = Fixed<6>{saturating_shift_left(12 - zeros, 25)} + kQuarter;
  const int zeros_b = std::countl_zero(static_cast<uint32_t>((z * kRootOfHalf).raw)) - 1;
  const int32_t r_b = saturating_shift_left(x.raw, zeros_b);
  const Fixed<6> k_b = Fixed<6>{saturating_shift_left(12 - zeros_b, 25)} - kQuarter;
  const Fixed<0> r{std::min(r_a, r_b)};
  const Fixed<6> k{std::max(k_a.raw, k_b.raw)};

  const Fixed<0> p{static_cast<int32_t>((int64_t{r.raw} + kRootOfRootOfHalf.raw + 1) / 2)};
  const Fixed<0> half_q = r - kRootOfRootOfHalf;
  const Fixed<0> q = half_q + half_q;
  const Fixed<0> square = q * q;
  const Fixed<0> numerator = q * r + q * square * kAlphaN;
  const Fixed<0> denominator = p * (kAlphaI + q + kAlphaD * square) + kAlphaF * q;
  return rescale<5>(k * kLog2 + rescale<6>(numerator) * one_over_one_plus(denominator));
}

void log_softmax_row(const int8_t* x, size_t channels, const SoftmaxScaling& scaling,
                     FixedFactor inverse, std::vector<int8_t>& result) {
  const int32_t maximum = *std::max_element(x, x + channels);
  LogSum sum;
  for (size_t c = 0; c < channels; ++c) {
    const int32_t difference = x[c] - maximum;
    if (difference < scaling.smallest) continue;
    sum = sum + rescale<12>(exp_on_negative_values(Fixed<5>{multiply(difference, scaling.factor)}));
  }
  const int32_t log_of_sum = logarithm(sum).raw;
  // What is left of Fixed<5> below the logarithm.
  const int64_t reach = multiply(wrapping_add(log_of_sum, INT32_MIN), inverse);
  const int64_t least = std::max(scaling.smallest - 1, reach);
  for (size_t c = 0; c < channels; ++c) {
    const int32_t difference = x[c] - maximum;
    int32_t value = INT8_MIN;
    if (difference > least) {
      const int32_t share = wrapping_add(multiply(difference, scaling.factor), -log_of_sum);
      value = std::clamp<int32_t>(rounding_divide_by_power_of_two(share, 22) + INT8_MAX, INT8_MIN,
                                  INT8_MAX);
    }
    result.push_back(static_cast<int8_t>(value));
  }
}

}  // namespace

std::vector<Bytes> evaluate(const LogSoftmax&, const OpContext& context) {
  const Tensor& input = context.input(0);
  const std::vector<int8_t> x = context.read<int8_t>(0);
  const auto channels = static_cast<size_t>(input.shape.back());
  const SoftmaxScaling scaling = softmax_scaling(1, double{scale_of(input)});
  const FixedFactor inverse = inverse_scaling(scaling.factor);
  std::vector<int8_t> result;
  for (size_t row = 0; row < x.size(); row += channels) {
    log_softmax_row(&x[row], channels, scaling, inverse, result);
  }
  return {bytes_from(result)};
}

RealValues real_of(const LogSoftmax&, const RealContext& c) {
  RealValues result = *c.inputs[0];
  const auto depth = static_cast<size_t>(c.output_shape().back());
  for (size_t begin = 0; begin < result.size(); begin += depth) {
    const std::span<float> row(&result[begin], depth);
    const float largest = largest_of(row);
    float sum = 0;
    for (const float value : row) sum += runtime::real::exp(value - largest);
    const float log_of_sum = runtime::real::log(sum);
    for (float& value : row) value = value - largest - log_of_sum;
  }
  return result;
}

ValueRanges bounds_of(const LogSoftmax&, const BoundsContext& c) { return any_value(c.output()); }

}  // namespace thimble::reference
