// SPDX-License-Identifier: Apache-2.0
// RSQRT: the root by Newton and Raphson in fixed point, as TensorFlow Lite's elementwise.cc
// and common.h (GetInvSqrtQuantizedMultiplierExp) compute it.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "thimble/reference/activation_range.h"
#include "thimble/reference/bounds_of.h"
#include "thimble/reference/evaluate.h"
#include "thimble/reference/factors.h"
#include "thimble/reference/fixed_point.h"
#include "thimble/reference/real_of.h"
#include "thimble_runtime/real_functions.h"

namespace thimble::reference {
namespace {

/// x in (0, 2^16) as a number in [1/4, 1) times a power of 4; then y <- y (3 - x y^2) / 2.
FixedFactor one_over_root(int32_t x) {
  if (x == 1) return {INT32_MAX, 0};
  const int pairs = (std::countl_zero(static_cast<uint32_t>(x)) - 1) / 2 - 1;
  const Fixed<3> in{(x << 2 * pairs) >> 1};
  const Fixed<3> half_in{rounding_divide_by_power_of_two(in.raw, 1)};
  constexpr Fixed<3> kHalfThree{(1 << 28) + (1 << 27)};
  constexpr Fixed<0> kHalfRootOf2{1518500250};
  Fixed<3> y = Fixed<3>::one();
  for (int step = 0; step < 5; ++step) {
    const Fixed<3> cube = rescale<3>(y * y * y);
    y = rescale<3>(kHalfThree * y - half_in * cube);
  }
  const int right = 11 - pairs;
  const int32_t root = (y * kHalfRootOf2).raw;
  return right < 0 ? FixedFactor{root << -right, 0} : FixedFactor{root, -right};
}

template <class T>
std::vector<Bytes> rsqrt_of(const OpContext& context) {
  constexpr int kShift = 20;  // bits behind the point of a root
  const Tensor& input = context.input(0);
  const Tensor& output = context.output();
  FixedFactor factor = rsqrt_factor(input, output);
  factor.shift -= kShift;
  const ActivationRange range = activation_range(Activation::kNone, output);

  std::vector<T> values = context.read<T>(0);
  for (T& value : values) {
    const int32_t x = value - zero_point_of(input);
    if (x <= 0) {  // below 0 the original stops, or gives this in its compilers
      value = std::numeric_limits<T>::max();
      continue;
    }
    FixedFactor root = one_over_root(x);
    root.shift += kShift;
    const int32_t scaled = multiply(multiply(1, root), factor) + zero_point_of(output);
    value = static_cast<T>(std::clamp(scaled, range.min, range.max));
  }
  return {bytes_from(values)};
}

}  // namespace

FixedFactor rsqrt_factor(const Tensor& x, const Tensor& out) {
  const float denominator = std::sqrt(scale_of(x)) * scale_of(out);
  return to_fixed_factor(1 / double{denominator});
}

std::vector<Bytes> evaluate(const Rsqrt&, const OpContext& context) {
  return context.input(0).type == DType::kInt16 ? rsqrt_of<int16_t>(context)
                                                : rsqrt_of<int8_t>(context);
}

RealValues real_of(const Rsqrt&, const RealContext& c) { return of_each(c, runtime::real::rsqrt); }

ValueRanges bounds_of(const Rsqrt&, const BoundsContext& c) { return of_each_value(c); }

}  // namespace thimble::reference
