// SPDX-License-Identifier: Apache-2.0
// Element by element of two or three tensors, any of which may be broadcast or constant.
#include <algorithm>
#include <cmath>

#include "thimble/target/kernels/axes.h"
#include "thimble/target/kernels/floats.h"
#include "thimble/target/kernels/operands.h"
#include "thimble/target/kernels/quantize.h"
#include "thimble/target/kernels/rows.h"

namespace thimble {
namespace {

KernelId raw_kernel(Family family, const Operands& t) {
  return portable_kernel(family, raw_type(t.in(0).type), raw_type(t.out().type));
}

bool of_one_type(const Operands& t, Method method, Family family) {
  return method == Method::kCompute && t.count() == 2 && t.in(0).type == t.in(1).type &&
         raw_kernel(family, t).valid();
}

// Both operands broadcast to the output, all of one type.
KernelUse pair_use(Family family, const KernelParams& params, const Operands& t) {
  return elementwise_use(portable_kernel(family, t.in(0).type, t.out().type), params,
                         {t.in(0).shape, t.in(1).shape}, t.out().shape);
}

double twice_larger_scale(const Operands& t) {
  return 2 * static_cast<double>(std::max(scale_of(t.in(0)), scale_of(t.in(1))));
}

// Both operands, shifted left, are brought to twice the larger scale; result_scale is that of what
// is then computed of them.
KernelUse scaled_pair_use(Family family, const Operands& t, Activation activation, int left_shift,
                          double result_scale) {
  const bool in_float = std::holds_alternative<Sub>(t.op.attributes) && !t.is_uint8();
  const auto quotient = [&](double a, double b) {
    return in_float ? static_cast<double>(static_cast<float>(a) / static_cast<float>(b)) : a / b;
  };
  const ClampRange clamp = clamp_range(activation, t.out());
  runtime::AddParams params{};
  params.left_shift = left_shift;
  for (size_t k = 0; k < 2; ++k) {
    params.zero_point[k] = zero_point_of(t.in(k));
    params.scale[k] =
        quantize_scale(quotient(static_cast<double>(scale_of(t.in(k))), twice_larger_scale(t)));
  }
  params.output_zero_point = zero_point_of(t.out());
  params.output_scale =
      quantize_scale(quotient(result_scale, static_cast<double>(scale_of(t.out()))));
  params.clamp_min = clamp.min;
  params.clamp_max = clamp.max;
  return pair_use(family, params, t);
}

// Kernel for two operands whose values need no parameters.
KernelUse raw_pair_use(Family family, const Operands& t) {
  return elementwise_use(raw_kernel(family, t), {}, {t.in(0).shape, t.in(1).shape}, t.out().shape);
}

// Kernels of ONNX's arithmetic (docs/arithmetic.md).
KernelUse float_sum_use(const Operands& t, Activation activation) {
  const float out = scale_of(t.out());
  const ClampRange clamp = clamp_range(activation, t.out());
  runtime::AddToEvenParams params{};
  float zeros[2];
  for (size_t k = 0; k < 2; ++k) {
    params.scale[k] = scale_of(t.in(k)) / out;
    zeros[k] = params.scale[k] * static_cast<float>(zero_point_of(t.in(k)));
  }
  params.constant = static_cast<float>(zero_point_of(t.out())) - (zeros[0] + zeros[1]);
  params.clamp_min = clamp.min;
  params.clamp_max = clamp.max;
  return pair_use(Family::kAddToEven, params, t);
}

KernelUse float_product_use(const Operands& t, Activation activation) {
  const ClampRange clamp = clamp_range(activation, t.out());
  runtime::MulToEvenParams params{};
  for (size_t k = 0; k < 2; ++k) params.zero_point[k] = zero_point_of(t.in(k));
  params.scale = scale_of(t.in(0)) * scale_of(t.in(1)) / scale_of(t.out());
  params.output_zero_point = static_cast<float>(zero_point_of(t.out()));
  params.clamp_min = clamp.min;
  params.clamp_max = clamp.max;
  return pair_use(Family::kMulToEven, params, t);
}

// Kernel of sums and differences.
KernelUse sum_or_difference_use(Family family, const Operands& t, Activation activation) {
  if (t.out().type == DType::kInt32) return raw_pair_use(family, t);
  if (is_float32(t)) return pair_use(family, float_clamp(activation), t);
  const int left_shift = t.out().type == DType::kInt16 ? 15 : 20;
  return scaled_pair_use(family, t, activation, left_shift,
                         std::ldexp(twice_larger_scale(t), -left_shift));
}

// Kernel of products and quotients.
KernelUse product_use(Family family, const Operands& t, Activation activation, double scale) {
  const ClampRange clamp = clamp_range(activation, t.out());
  runtime::MulParams params{};
  for (size_t k = 0; k < 2; ++k) params.zero_point[k] = zero_point_of(t.in(k));
  params.output_zero_point = zero_point_of(t.out());
  params.output_scale = quantize_scale(scale);
  params.clamp_min = clamp.min;
  params.clamp_max = clamp.max;
  return pair_use(family, params, t);
}

Family family_of(const FloorDiv& a) { return a.remainder ? Family::kFloorMod : Family::kFloorDiv; }

KernelId comparison_kernel(const Operands& t) {
  return portable_kernel(Family::kComparison, raw_type(t.in(0).type), t.out().type);
}

// By the size of the elements.
KernelId select_kernel(const Operands& t) {
  switch (size_bytes(t.out().type)) {
    case 1:
      return portable_kernel(Family::kSelect);
    case 2:
      return portable_kernel(Family::kSelect, DType::kInt16, DType::kInt16);
    case 4:
      return portable_kernel(Family::kSelect, DType::kInt32, DType::kInt32);
    case 8:
      return portable_kernel(Family::kSelect, DType::kInt64, DType::kInt64);
    default:
      return {};
  }
}

}  // namespace

bool supported(const Add&, const Operands& t, Method method) {
  return of_one_type(t, method, t.is_onnx() ? Family::kAddToEven : Family::kAdd);
}

bool supported(const Mul&, const Operands& t, Method method) {
  return of_one_type(t, method, t.is_onnx() ? Family::kMulToEven : Family::kMul);
}

bool supported(const Sub&, const Operands& t, Method method) {
  return of_one_type(t, method, Family::kSub);
}

bool supported(const Div&, const Operands& t, Method method) {
  return of_one_type(t, method, Family::kDiv);
}

bool supported(const FloorDiv& a, const Operands& t, Method method) {
  return of_one_type(t, method, family_of(a));
}

bool supported(const Pow&, const Operands& t, Method method) {
  return of_one_type(t, method, Family::kPow);
}

bool supported(const Maximum&, const Operands& t, Method method) {
  return of_one_type(t, method, Family::kMaximum);
}

bool supported(const Prelu&, const Operands& t, Method method) {
  return of_one_type(t, method, Family::kPrelu);
}

bool supported(const Comparison&, const Operands& t, Method method) {
  return method == Method::kCompute && t.in(0).type == t.in(1).type && comparison_kernel(t).valid();
}

bool supported(const Select&, const Operands& t, Method method) {
  return method == Method::kCompute && t.in(0).type == DType::kBool &&
         t.in(1).type == t.out().type && t.in(2).type == t.out().type && select_kernel(t).valid();
}

bool supported(const Minimum&, const Operands& t, Method method) {
  return of_one_type(t, method, Family::kMinimum);
}

bool supported(const SquaredDifference&, const Operands& t, Method method) {
  return of_one_type(t, method, Family::kSquaredDifference);
}

std::vector<KernelUse> uses(const Maximum&, const Operands& t, Method) {
  return {raw_pair_use(Family::kMaximum, t)};
}

std::vector<KernelUse> uses(const Prelu&, const Operands& t, Method) {
  if (is_float32(t)) return {pair_use(Family::kPrelu, {}, t)};
  const float in = scale_of(t.in(0)), alpha = scale_of(t.in(1)), out = scale_of(t.out());
  const auto wide = [](float x) { return static_cast<double>(x); };
  const ClampRange clamp = value_range(t.out().type);
  const double positive = t.is_uint8() ? wide(in / out) : wide(in) / wide(out);
  const double negative =
      t.is_uint8() ? wide(in * alpha / out) : wide(in) * wide(alpha) / wide(out);
  const runtime::PreluParams params{.positive = quantize_scale(positive),
                                    .negative = quantize_scale(negative),
                                    .input_zero_point = zero_point_of(t.in(0)),
                                    .alpha_zero_point = zero_point_of(t.in(1)),
                                    .output_zero_point = zero_point_of(t.out()),
                                    .clamp_min = clamp.min,
                                    .clamp_max = clamp.max};
  return {pair_use(Family::kPrelu, params, t)};
}

std::vector<KernelUse> uses(const Minimum&, const Operands& t, Method) {
  return {raw_pair_use(Family::kMinimum, t)};
}

std::vector<KernelUse> uses(const Add& a, const Operands& t, Method) {
  if (t.is_onnx()) return {float_sum_use(t, a.activation)};
  return {sum_or_difference_use(Family::kAdd, t, a.activation)};
}

std::vector<KernelUse> uses(const Sub& a, const Operands& t, Method) {
  return {sum_or_difference_use(Family::kSub, t, a.activation)};
}

std::vector<KernelUse> uses(const SquaredDifference&, const Operands& t, Method) {
  if (is_float32(t)) return {pair_use(Family::kSquaredDifference, {}, t)};
  const int left_shift = t.out().type == DType::kInt16 ? 0 : 7;  // the square has 30 bits
  const double square = twice_larger_scale(t) * twice_larger_scale(t);
  return {scaled_pair_use(Family::kSquaredDifference, t, Activation::kNone, left_shift,
                          std::ldexp(square, -2 * left_shift))};
}

std::vector<KernelUse> uses(const Mul& a, const Operands& t, Method) {
  if (is_float32(t)) return {pair_use(Family::kMul, float_clamp(a.activation), t)};
  if (t.out().type == DType::kInt32) return {raw_pair_use(Family::kMul, t)};
  if (t.is_onnx()) return {float_product_use(t, a.activation)};
  const float x = scale_of(t.in(0)), y = scale_of(t.in(1)), out = scale_of(t.out());
  const double scale =
      t.is_uint8() ? static_cast<double>(x * y / out)
                   : static_cast<double>(x) * static_cast<double>(y) / static_cast<double>(out);
  return {product_use(Family::kMul, t, a.activation, scale)};
}

std::vector<KernelUse> uses(const Div& a, const Operands& t, Method) {
  if (is_float32(t)) return {pair_use(Family::kDiv, float_clamp(a.activation), t)};
  if (t.out().type == DType::kInt32) return {raw_pair_use(Family::kDiv, t)};
  const float scale = scale_of(t.in(0)) / (scale_of(t.in(1)) * scale_of(t.out()));
  return {product_use(Family::kDiv, t, a.activation, static_cast<double>(scale))};
}

std::vector<KernelUse> uses(const FloorDiv& a, const Operands& t, Method) {
  return {raw_pair_use(family_of(a), t)};
}

std::vector<KernelUse> uses(const Pow&, const Operands& t, Method) {
  return {raw_pair_use(Family::kPow, t)};
}

// int8 is scaled; all else is compared as it is.
std::vector<KernelUse> uses(const Comparison& a, const Operands& t, Method) {
  const std::vector<Shape> shapes{t.in(0).shape, t.in(1).shape};
  const KernelId kernel = comparison_kernel(t);
  if (t.in(0).type == DType::kInt32 || t.in(0).type == DType::kFloat32)
    return {elementwise_use(kernel, runtime::RelationParams{accepted(a.relation)}, shapes,
                            t.out().shape)};
  runtime::ComparisonParams params{.accepted = accepted(a.relation),
                                   .zero_point = {0, 0},
                                   .scale = {{1 << 30, 1}, {1 << 30, 1}}};
  for (size_t k = 0; k < 2 && t.in(0).type == DType::kInt8; ++k) {
    params.zero_point[k] = zero_point_of(t.in(k));
    params.scale[k] = quantize_scale(static_cast<double>(scale_of(t.in(k))));
  }
  return {elementwise_use(kernel, params, shapes, t.out().shape)};
}

std::vector<KernelUse> uses(const Select&, const Operands& t, Method) {
  return {elementwise_use(select_kernel(t), {}, {t.in(0).shape, t.in(1).shape, t.in(2).shape},
                          t.out().shape)};
}

namespace {

/// Operands at twice the larger scale, and shifts that round.
bool halves_an_operand(const KernelUse& use) {
  const auto& p = std::get<runtime::AddParams>(use.params);
  const auto half = [](const runtime::Scale& s) { return s.multiplier == 1 << 30 && s.shift == 0; };
  const auto rounds = [](const runtime::Scale& s) {
    return s.multiplier > 0 && s.shift <= -1 && s.shift >= -22;
  };
  const bool first = half(p.scale[0]), second = half(p.scale[1]);
  return p.left_shift == 20 && rounds(p.output_scale) && (first || second) &&
         (first || rounds(p.scale[0])) && (second || rounds(p.scale[1]));
}

bool halves_one_operand(const KernelUse& use) {
  const auto& p = std::get<runtime::AddParams>(use.params);
  return halves_an_operand(use) && (p.scale[0].shift != 0 || p.scale[1].shift != 0);
}

bool product_shifts_right(const KernelUse& use) {
  return std::get<runtime::MulParams>(use.params).output_scale.shift < 0;
}

/// Which leaves room for the zero point, and is not clamped.
bool product_is_rounded_once(const KernelUse& use) {
  const auto& p = std::get<runtime::MulParams>(use.params);
  return p.output_scale.multiplier > 0 && p.output_scale.shift <= -1 &&
         p.output_scale.shift >= -22 && p.clamp_min == -128 && p.clamp_max == 127;
}

}  // namespace

std::span<const KernelInfo> arithmetic_rows() {
  using enum DType;
  using enum Family;
  using enum InstructionSet;
  static constexpr KernelInfo kRows[] = {
      row<runtime::add>({.name = "add", .family = kAdd}),
      row<runtime::add_mve>(
          {.name = "add_mve", .family = kAdd, .set = kMve, .takes = halves_one_operand}),
      row<runtime::add_dsp>(
          {.name = "add_dsp", .family = kAdd, .set = kDsp, .takes = halves_an_operand}),
      row<runtime::add_to_even>({.name = "add_to_even", .family = kAddToEven, .fitted_as = "add"}),
      row<runtime::mul>({.name = "mul", .family = kMul}),
      row<runtime::mul_to_even>({.name = "mul_to_even", .family = kMulToEven, .fitted_as = "mul"}),
      row<runtime::mul_mve>(
          {.name = "mul_mve", .family = kMul, .set = kMve, .takes = product_shifts_right}),
      row<runtime::mul_dsp>(
          {.name = "mul_dsp", .family = kMul, .set = kDsp, .takes = product_is_rounded_once}),
      row<runtime::sub>({.name = "sub", .family = kSub}),
      row<runtime::squared_difference>(
          {.name = "squared_difference", .family = kSquaredDifference}),
      row<runtime::add_i16>({.name = "add_i16", .family = kAdd, .in = kInt16, .out = kInt16}),
      row<runtime::sub_i16>({.name = "sub_i16", .family = kSub, .in = kInt16, .out = kInt16}),
      row<runtime::mul_i16>({.name = "mul_i16", .family = kMul, .in = kInt16, .out = kInt16}),
      row<runtime::squared_difference_i16>({.name = "squared_difference_i16",
                                            .family = kSquaredDifference,
                                            .in = kInt16,
                                            .out = kInt16}),
      row<runtime::div>({.name = "div", .family = kDiv}),
      row<runtime::add_i32>({.name = "add_i32", .family = kAdd, .in = kInt32, .out = kInt32}),
      row<runtime::sub_i32>({.name = "sub_i32", .family = kSub, .in = kInt32, .out = kInt32}),
      row<runtime::mul_i32>({.name = "mul_i32", .family = kMul, .in = kInt32, .out = kInt32}),
      row<runtime::floor_div_i32>(
          {.name = "floor_div_i32", .family = kFloorDiv, .in = kInt32, .out = kInt32}),
      row<runtime::floor_mod_i32>(
          {.name = "floor_mod_i32", .family = kFloorMod, .in = kInt32, .out = kInt32}),
      row<runtime::div_i32>({.name = "div_i32", .family = kDiv, .in = kInt32, .out = kInt32}),
      row<runtime::maximum>({.name = "maximum", .family = kMaximum}),
      row<runtime::maximum_i16>(
          {.name = "maximum_i16", .family = kMaximum, .in = kInt16, .out = kInt16}),
      row<runtime::minimum>({.name = "minimum", .family = kMinimum}),
      row<runtime::minimum_i16>(
          {.name = "minimum_i16", .family = kMinimum, .in = kInt16, .out = kInt16}),
      row<runtime::maximum_i32>(
          {.name = "maximum_i32", .family = kMaximum, .in = kInt32, .out = kInt32}),
      row<runtime::minimum_i32>(
          {.name = "minimum_i32", .family = kMinimum, .in = kInt32, .out = kInt32}),
      row<runtime::comparison_i8_b8>(
          {.name = "comparison_i8_b8", .family = kComparison, .out = kBool}),
      row<runtime::comparison_i32_b8>(
          {.name = "comparison_i32_b8", .family = kComparison, .in = kInt32, .out = kBool}),
      row<runtime::comparison_f32_b8>(
          {.name = "comparison_f32_b8", .family = kComparison, .in = kFloat32, .out = kBool}),
      row<runtime::select_8>({.name = "select_8", .family = kSelect}),
      row<runtime::select_16>(
          {.name = "select_16", .family = kSelect, .in = kInt16, .out = kInt16}),
      row<runtime::select_32>(
          {.name = "select_32", .family = kSelect, .in = kInt32, .out = kInt32}),
      row<runtime::select_64>(
          {.name = "select_64", .family = kSelect, .in = kInt64, .out = kInt64}),
      row<runtime::prelu>({.name = "prelu", .family = kPrelu}),
      row<runtime::prelu_i16>({.name = "prelu_i16", .family = kPrelu, .in = kInt16, .out = kInt16}),
      float_row<runtime::add_f32>("add_f32", kAdd),
      float_row<runtime::sub_f32>("sub_f32", kSub),
      float_row<runtime::mul_f32>("mul_f32", kMul),
      float_row<runtime::div_f32>("div_f32", kDiv),
      float_row<runtime::floor_div_f32>("floor_div_f32", kFloorDiv),
      float_row<runtime::floor_mod_f32>("floor_mod_f32", kFloorMod),
      float_row<runtime::pow_f32>("pow_f32", kPow),
      float_row<runtime::maximum_f32>("maximum_f32", kMaximum),
      float_row<runtime::minimum_f32>("minimum_f32", kMinimum),
      float_row<runtime::squared_difference_f32>("squared_difference_f32", kSquaredDifference),
      float_row<runtime::prelu_f32>("prelu_f32", kPrelu),
  };
  return kRows;
}

}  // namespace thimble
