// SPDX-License-Identifier: Apache-2.0
// GELU, int8: of each value, in float32, as TensorFlow Lite fills its table (gelu.h, LUTPopulate).
// A C library whose erfc or tanh differs in the last bit may round a value the other way.
#include "thimble/reference/gelu.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "thimble/reference/activation_range.h"
#include "thimble/reference/bounds_of.h"
#include "thimble/reference/evaluate.h"
#include "thimble/reference/real_of.h"
#include "thimble_runtime/real_functions.h"

namespace thimble::reference {

float gelu(float x, bool approximate) {
  constexpr auto kRootOf2OverPi =
      static_cast<float>(2 * std::numbers::inv_sqrtpi * (std::numbers::sqrt2 / 2));
  // By erfc, as 1 + erf would lose all digits far below 0.
  if (!approximate) return 0.5F * x * std::erfc(x * static_cast<float>(-std::numbers::sqrt2 / 2));
  return 0.5F * x * (1.0F + std::tanh(kRootOf2OverPi * (x + 0.044715F * x * x * x)));
}

std::vector<Bytes> evaluate(const Gelu& op, const OpContext& context) {
  const Tensor& input = context.input(0);
  const Tensor& output = context.output();
  const float inverse_scale = 1 / scale_of(output);
  const auto zero_point = static_cast<float>(zero_point_of(output));
  std::vector<int8_t> values = context.read<int8_t>(0);
  for (int8_t& value : values) {
    const float x = scale_of(input) * static_cast<float>(value - zero_point_of(input));
    const float scaled = std::round(gelu(x, op.approximate) * inverse_scale) + zero_point;
    value = static_cast<int8_t>(std::clamp(scaled, -128.0F, 127.0F));
  }
  return {bytes_from(values)};
}

RealValues real_of(const Gelu& op, const RealContext& c) {
  return of_each(c, op.approximate ? runtime::real::gelu_by_tanh : runtime::real::gelu);
}

ValueRanges bounds_of(const Gelu&, const BoundsContext& c) { return of_each_value(c); }

}  // namespace thimble::reference
