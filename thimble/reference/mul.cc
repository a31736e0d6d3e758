// SPDX-License-Identifier: Apache-2.0
// MUL: the product of the centred operands, requantised once; of int32 modulo 2^32.
#include <algorithm>

#include "thimble/reference/activation_range.h"
#include "thimble/reference/bounds_of.h"
#include "thimble/reference/factors.h"
#include "thimble/reference/raw_pairs.h"
#include "thimble/reference/real_of.h"
#include "thimble/reference/sum_bounds.h"

namespace thimble::reference {

FixedFactor product_factor(Arithmetic arithmetic, const Tensor& a, const Tensor& b,
                           const Tensor& output) {
  const float of_a = scale_of(a), of_b = scale_of(b), out = scale_of(output);
  return to_fixed_factor(arithmetic == Arithmetic::kTfliteUint8
                             ? double{of_a * of_b / out}
                             : double{of_a} * double{of_b} / double{out});
}

float float_product(const Tensor& a, const Tensor& b, const Tensor& output) {
  return scale_of(a) * scale_of(b) / scale_of(output);
}

namespace {

std::vector<Bytes> onnx_product(const Mul& op, const OpContext& context) {
  const Tensor &a = context.input(0), &b = context.input(1), &output = context.output();
  const float scale = float_product(a, b, output);
  const auto zero_point = static_cast<float>(zero_point_of(output));
  const ActivationRange range = activation_range(op.activation, output);
  return of_raw_pairs(context, [&](int32_t left, int32_t right) {
    const int32_t product = (left - zero_point_of(a)) * (right - zero_point_of(b));
    const float scaled = static_cast<float>(product) * scale;
    return std::clamp(nearest_even(scaled + zero_point), range.min, range.max);
  });
}

}  // namespace

std::vector<Bytes> evaluate(const Mul& op, const OpContext& context) {
  if (context.output().type == DType::kInt32) {
    return of_raw_pairs(context, [](int32_t a, int32_t b) {
      return static_cast<int32_t>(static_cast<uint32_t>(a) * static_cast<uint32_t>(b));
    });
  }
  if (context.arithmetic() == Arithmetic::kOnnx) return onnx_product(op, context);
  const Tensor& a = context.input(0);
  const Tensor& b = context.input(1);
  const Tensor& output = context.output();
  const FixedFactor factor = product_factor(context.arithmetic(), a, b, output);
  const ActivationRange range = activation_range(op.activation, output);
  return of_raw_pairs(context, [&](int32_t left, int32_t right) {
    return requantised((left - zero_point_of(a)) * (right - zero_point_of(b)), factor,
                       zero_point_of(output), range);
  });
}

RealValues real_of(const Mul& op, const RealContext& c) {
  return clamped(op.activation, combined(c, [](float a, float b) { return a * b; }));
}

// Products are below 2^16, of int16 below 2^31.
ValueRanges bounds_of(const Mul& op, const BoundsContext& c) {
  if (c.op.attributes.arithmetic == Arithmetic::kOnnx) return within_activation(c, op.activation);
  if (c.output().type == DType::kInt32) return any_value(c.output());
  return at_corners(c,
                    product_factor(c.op.attributes.arithmetic, c.input(0), c.input(1), c.output()),
                    c.input(0).type == DType::kInt16 ? 0 : 14);
}

}  // namespace thimble::reference
