// SPDX-License-Identifier: Apache-2.0
#include "thimble/reference/activation_range.h"

#include <algorithm>
#include <cmath>

#include "thimble/model/error.h"
#include "thimble/reference/evaluate.h"

namespace thimble::reference {

ActivationRange activation_range(Activation activation, const Tensor& output) {
  const IntegerRange type = range_of(output.type);
  auto quantised = [&](float real) {
    return std::clamp(quantize_real(real, scale_of(output), zero_point_of(output)), type.min,
                      type.max);
  };
  IntegerRange range = type;
  switch (activation) {
    case Activation::kNone:
      break;
    case Activation::kRelu:
      range = {quantised(0), type.max};
      break;
    case Activation::kReluN1To1:
      range = {quantised(-1), quantised(1)};
      break;
    case Activation::kRelu6:
      range = {quantised(0), quantised(6)};
      break;
    case Activation::kRelu0To1:
      range = {quantised(0), quantised(1)};
      break;
  }
  return {static_cast<int32_t>(range.min), static_cast<int32_t>(range.max)};
}

int64_t quantize_real(float real, float scale, int32_t zero_point) {
  const float steps = std::round(real / scale);
  if (std::isnan(steps)) return zero_point;
  // 2^31 as float is exact; the clamp keeps the conversion defined for infinities and huge values.
  const double limited = std::clamp<double>(steps, INT32_MIN, INT32_MAX);
  return std::clamp<int64_t>(static_cast<int64_t>(limited) + zero_point, INT32_MIN, INT32_MAX);
}

std::vector<FixedFactor> channel_factors(const Tensor& input, const Tensor& weights,
                                         float result_scale, int64_t channels) {
  const std::vector<float>& scales = weights.quantization.scales;
  const size_t count = static_cast<size_t>(channels);
  check(scales.size() == 1 || scales.size() == count, "weights have one scale, or one per channel");
  std::vector<FixedFactor> factors;
  for (size_t o = 0; o < count; ++o) {
    const double weight_scale = scales[scales.size() == 1 ? 0 : o];
    factors.push_back(
        to_fixed_factor(double{scale_of(input)} * weight_scale / double{result_scale}));
  }
  return factors;
}

int32_t requantised(int32_t accumulator, FixedFactor factor, int32_t zero_point,
                    ActivationRange range) {
  return std::clamp(wrapping_add(multiply(accumulator, factor), zero_point), range.min, range.max);
}

int8_t requantise(int32_t accumulator, FixedFactor factor, int32_t zero_point,
                  ActivationRange range) {
  return static_cast<int8_t>(requantised(accumulator, factor, zero_point, range));
}

}  // namespace thimble::reference
