// SPDX-License-Identifier: Apache-2.0
// HARD_SWISH, int8: x at 16 bits times relu6(x + 3) / 6 at 16 bits, as TensorFlow Lite's reference
// kernel (hard_swish.h).
#include <algorithm>

#include "thimble/reference/bounds_of.h"
#include "thimble/reference/evaluate.h"
#include "thimble/reference/fixed_point.h"
#include "thimble/reference/real_of.h"
#include "thimble_runtime/real_functions.h"

namespace thimble::reference {
namespace {

/// A real factor: multiplier * 2^(exponent - 15).
struct NarrowFactor {
  int32_t multiplier = 0;
  int exponent = 0;
};

NarrowFactor narrow_factor(float real) {
  const FixedFactor wide = to_fixed_factor(double{real});
  const bool most = wide.multiplier >= INT32_MAX - (1 << 15);
  return {most ? INT16_MAX : (wide.multiplier + (1 << 15)) >> 16, wide.shift};
}

int32_t saturated(int64_t value) {
  return static_cast<int32_t>(std::clamp<int64_t>(value, INT16_MIN, INT16_MAX));
}

/// a * b / 2^15, rounded half up above 0 and towards 0 below; or cut.
int32_t rounded_product(int32_t a, int32_t b) {
  const int32_t product = a * b;
  return saturated((product + (product >= 0 ? 1 << 14 : 1 - (1 << 14))) / (1 << 15));
}
int32_t cut_product(int32_t a, int32_t b) { return saturated(a * b / (1 << 15)); }

int32_t shifted_left(int32_t x, int bits) {
  return saturated(x * (int64_t{1} << std::min(bits, 31)));
}

/// x / 3 within -1 and 1, in 1/32768. The last bit to the left comes last: only there may it
/// saturate.
int32_t third(int32_t x, NarrowFactor factor) {
  if (factor.exponent > 0) x = shifted_left(x, factor.exponent - 1);
  x = rounded_product(x, factor.multiplier);
  if (factor.exponent > 0) return shifted_left(x, 1);
  return rounding_divide_by_power_of_two(x, -factor.exponent);
}

}  // namespace

std::vector<Bytes> evaluate(const HardSwish&, const OpContext& context) {
  const Tensor& input = context.input(0);
  const Tensor& output = context.output();
  const float fine_scale = (1.0F / 128.0F) * scale_of(input);
  const NarrowFactor to_output = narrow_factor(fine_scale / scale_of(output));
  const NarrowFactor to_third = narrow_factor(fine_scale / (3.0F / 32768.0F));
  std::vector<int8_t> values = context.read<int8_t>(0);
  for (int8_t& value : values) {
    const int32_t fine = (value - zero_point_of(input)) * 128;
    const int32_t x = rounded_product(fine, to_output.multiplier);
    const int32_t gate = (third(fine, to_third) + (1 << 15)) >> 1;
    const int32_t result =
        rounding_divide_by_power_of_two(cut_product(gate, x), -to_output.exponent) +
        zero_point_of(output);
    value = static_cast<int8_t>(std::clamp<int32_t>(result, INT8_MIN, INT8_MAX));
  }
  return {bytes_from(values)};
}

RealValues real_of(const HardSwish&, const RealContext& c) {
  return of_each(c, runtime::real::hard_swish);
}

ValueRanges bounds_of(const HardSwish&, const BoundsContext& c) { return of_each_value(c); }

}  // namespace thimble::reference
