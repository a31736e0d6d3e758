// SPDX-License-Identifier: Apache-2.0
// QUANTIZE: float32 to an integer type, or from one integer quantisation to another.
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "thimble/reference/activation_range.h"
#include "thimble/reference/bounds_of.h"
#include "thimble/reference/evaluate.h"
#include "thimble/reference/real_of.h"

namespace thimble::reference {
namespace {

std::vector<int32_t> from_float(const OpContext& context) {
  const Tensor& output = context.output();
  const IntegerRange range = range_of(output.type);
  std::vector<int32_t> result;
  for (float real : context.read<float>(0)) {
    const int64_t value = quantize_real(real, scale_of(output), zero_point_of(output));
    result.push_back(static_cast<int32_t>(std::clamp(value, range.min, range.max)));
  }
  return result;
}

std::vector<int32_t> from_integers(const OpContext& context) {
  const Tensor& input = context.input(0);
  const Tensor& output = context.output();
  const IntegerRange range = range_of(output.type);
  const FixedFactor factor = to_fixed_factor(double{scale_of(input)} / double{scale_of(output)});
  const int32_t input_zero_point = zero_point_of(input);
  std::vector<int32_t> result;
  for (int32_t value : integers_from(context.input_bytes(0), input.type)) {
    const int32_t scaled = multiply(wrapping_add(value, -input_zero_point), factor);
    const int32_t shifted = wrapping_add(scaled, zero_point_of(output));
    result.push_back(static_cast<int32_t>(std::clamp<int64_t>(shifted, range.min, range.max)));
  }
  return result;
}

/// ConcatenationWithScaling: a line through raw uint8 numbers, in float32.
std::vector<Bytes> from_uint8(const OpContext& context) {
  constexpr int32_t kRaw = 128;
  const Tensor& input = context.input(0);
  const Tensor& output = context.output();
  const float slope = scale_of(input) * (1.0F / scale_of(output));
  const float intercept = static_cast<float>(-(zero_point_of(input) + kRaw)) * slope;
  std::vector<int8_t> values = context.read<int8_t>(0);
  for (int8_t& value : values) {
    const float product = static_cast<float>(value + kRaw) * slope;
    const double rounded = std::round(product + intercept);
    value = static_cast<int8_t>(
        std::clamp<double>(rounded + zero_point_of(output), INT8_MIN, INT8_MAX));
  }
  return {bytes_from(values)};
}

}  // namespace

std::vector<Bytes> evaluate(const Quantize&, const OpContext& context) {
  if (context.arithmetic() == Arithmetic::kTfliteUint8) return from_uint8(context);
  const bool is_float = context.input(0).type == DType::kFloat32;
  const std::vector<int32_t> result = is_float ? from_float(context) : from_integers(context);
  return {bytes_from_integers(result, context.output().type)};
}

RealValues real_of(const Quantize&, const RealContext& c) { return *c.inputs[0]; }

ValueRanges bounds_of(const Quantize&, const BoundsContext& c) { return of_each_value(c); }

}  // namespace thimble::reference
