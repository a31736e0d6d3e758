// SPDX-License-Identifier: Apache-2.0
#include "thimble/target/kernels/quantize.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "thimble/model/error.h"

namespace thimble {
namespace {

// The quantised form of a bound, computed in float32 as the reference does, kept within the type.
int32_t quantised_bound(float bound, const Tensor& out, const ClampRange& values) {
  const auto zero_point = static_cast<double>(out.quantization.zero_points.at(0));
  const float steps = std::round(bound / out.quantization.scales.at(0));
  const double value = std::clamp(static_cast<double>(steps) + zero_point,
                                  static_cast<double>(values.min), static_cast<double>(values.max));
  return static_cast<int32_t>(value);
}

}  // namespace

runtime::Scale quantize_scale(double real) {
  check(std::isfinite(real), "quantize_scale: a scale is not finite");
  int exponent = 0;
  const double fraction = std::frexp(real, &exponent);
  int64_t multiplier = std::llround(std::ldexp(fraction, 31));
  if (multiplier == int64_t{1} << 31) {
    multiplier /= 2;
    ++exponent;
  }
  if (exponent < -31) return {0, 0};
  check(exponent <= 30, "quantize_scale: a scale is 2^30 or more");
  return {static_cast<int32_t>(multiplier), exponent};
}

runtime::Scale float_scale(float real) {
  return {std::bit_cast<int32_t>(real), runtime::kFloatShift};
}

ClampRange value_range(DType type) {
  switch (type) {
    case DType::kInt8:
      return {-128, 127};
    case DType::kUInt8:
      return {0, 255};
    case DType::kInt16:
      return {-32768, 32767};
    case DType::kInt32:
      return {std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max()};
    case DType::kBool:
    case DType::kUInt32:
    case DType::kInt64:
    case DType::kUInt64:
    case DType::kFloat32:
      break;
  }
  throw InternalError("value_range: not an integer of at most 32 bits");
}

ClampRange clamp_range(Activation activation, const Tensor& out) {
  ClampRange range = value_range(out.type);
  switch (activation) {
    case Activation::kNone:
      return range;
    case Activation::kRelu:
      return {quantised_bound(0, out, range), range.max};
    case Activation::kReluN1To1:
      return {quantised_bound(-1, out, range), quantised_bound(1, out, range)};
    case Activation::kRelu6:
      return {quantised_bound(0, out, range), quantised_bound(6, out, range)};
    case Activation::kRelu0To1:
      return {quantised_bound(0, out, range), quantised_bound(1, out, range)};
  }
  throw InternalError("clamp_range: unknown activation");
}

}  // namespace thimble
