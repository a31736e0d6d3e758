// SPDX-License-Identifier: Apache-2.0
// Element by element from one quantisation or type to another: relu, relu6, leaky relu, quantize,
// dequantize, cast. From byte to byte a table (lookup.cc) takes an eighth of the instructions.
#include <algorithm>

#include "thimble/model/error.h"
#include "thimble/target/kernels/axes.h"
#include "thimble/target/kernels/floats.h"
#include "thimble/target/kernels/lookup.h"
#include "thimble/target/kernels/operands.h"
#include "thimble/target/kernels/quantize.h"
#include "thimble/target/kernels/rows.h"

namespace thimble {
namespace {

// Integers are rescaled; float32 has kernels of its own.
KernelId quantize_kernel(const Operands& t) {
  const DType in = t.in(0).type, out = t.out().type;
  if (in == DType::kFloat32)
    return portable_kernel(t.is_onnx() ? Family::kQuantizeToEven : Family::kQuantize, in, out);
  return t.is_onnx() ? KernelId() : portable_kernel(Family::kRescale, in, out);
}

runtime::RescaleParams rescale_params(const Operands& t, const ClampRange& clamp) {
  return {.scale = quantize_scale(static_cast<double>(scale_of(t.in(0))) /
                                  static_cast<double>(scale_of(t.out()))),
          .input_zero_point = zero_point_of(t.in(0)),
          .output_zero_point = zero_point_of(t.out()),
          .clamp_min = clamp.min,
          .clamp_max = clamp.max};
}

KernelId cast_kernel(const Operands& t) {
  if (t.in(0).type == DType::kBool && t.out().type == DType::kInt8)
    return copy_kernel(DType::kInt8);
  if (t.in(0).type == DType::kUInt32 || t.out().type == DType::kUInt32)
    return copy_kernel(DType::kInt32);
  return portable_kernel(Family::kCast, raw_type(t.in(0).type), t.out().type);
}

std::vector<KernelUse> one_use(KernelId kernel, const KernelParams& params, const Operands& t) {
  return {elementwise_use(kernel, params, {t.in(0).shape}, t.out().shape)};
}

}  // namespace

bool supported(const Relu&, const Operands& t, Method method) {
  const Family family = is_float32(t) ? Family::kClamp : Family::kRescale;
  return method == Method::kCompute && t.in(0).type == t.out().type && has_row(family, t);
}

std::vector<KernelUse> uses(const Relu& a, const Operands& t, Method) {
  if (is_float32(t)) return float_function_use(t, Family::kClamp, float_clamp(a.range));
  if (is_function_of_int8(t)) return {lookup_use(t)};
  return one_use(quantize_kernel(t), rescale_params(t, clamp_range(a.range, t.out())), t);
}

/// Raw values are clamped: right only where input and output have the same quantisation.
bool supported(const Relu6&, const Operands& t, Method method) {
  if (t.is_onnx()) return method == Method::kCompute && is_function_of_int8(t);
  return method == Method::kCompute && has_row(Family::kClamp, t) &&
         t.in(0).quantization == t.out().quantization;
}

std::vector<KernelUse> uses(const Relu6&, const Operands& t, Method) {
  if (is_float32(t)) return float_function_use(t, Family::kClamp, float_clamp(Activation::kRelu6));
  if (t.is_onnx()) return {lookup_use(t)};
  const ClampRange clamp = clamp_range(Activation::kRelu6, t.in(0));
  return one_use(portable_kernel(Family::kClamp, t.in(0).type, t.out().type),
                 runtime::ClampParams{clamp.min, clamp.max}, t);
}

bool supported(const LeakyRelu&, const Operands& t, Method method) {
  return method == Method::kCompute && (is_function_of_int8(t) || has_row(Family::kLeakyRelu, t));
}

std::vector<KernelUse> uses(const LeakyRelu& a, const Operands& t, Method) {
  if (is_float32(t))
    return float_function_use(t, Family::kLeakyRelu, runtime::FloatLeakyReluParams{a.alpha});
  if (is_function_of_int8(t)) return {lookup_use(t)};
  const float in = scale_of(t.in(0)), out = scale_of(t.out());  // quotients in float32
  const ClampRange clamp = value_range(t.out().type);
  const runtime::LeakyReluParams params{
      .positive = quantize_scale(static_cast<double>(in / out)),
      .negative = quantize_scale(static_cast<double>(in * a.alpha / out)),
      .input_zero_point = zero_point_of(t.in(0)),
      .output_zero_point = zero_point_of(t.out()),
      .clamp_min = clamp.min,
      .clamp_max = clamp.max};
  return one_use(portable_kernel(Family::kLeakyRelu, t.in(0).type, t.out().type), params, t);
}

bool supported(const Quantize&, const Operands& t, Method method) {
  return method == Method::kCompute && (is_function_of_byte(t) || quantize_kernel(t).valid());
}

std::vector<KernelUse> uses(const Quantize&, const Operands& t, Method) {
  if (is_function_of_byte(t)) return {lookup_use(t)};
  const KernelId kernel = quantize_kernel(t);
  if (t.in(0).type == DType::kFloat32) {
    return one_use(kernel, runtime::FloatParams{scale_of(t.out()), zero_point_of(t.out())}, t);
  }
  return one_use(kernel, rescale_params(t, value_range(t.out().type)), t);
}

/// Bytes of bool hold 0 and 1.
bool supported(const Cast&, const Operands& t, Method method) {
  return method == Method::kCompute && cast_kernel(t).valid();
}

std::vector<KernelUse> uses(const Cast&, const Operands& t, Method) {
  return one_use(cast_kernel(t), {}, t);
}

bool supported(const Dequantize&, const Operands& t, Method method) {
  return method == Method::kCompute && has_row(Family::kDequantize, t);
}

std::vector<KernelUse> uses(const Dequantize&, const Operands& t, Method) {
  return one_use(portable_kernel(Family::kDequantize, t.in(0).type, t.out().type),
                 runtime::FloatParams{scale_of(t.in(0)), zero_point_of(t.in(0))}, t);
}

std::span<const KernelInfo> conversions_rows() {
  using enum DType;
  using enum Family;
  static constexpr KernelInfo kRows[] = {
      row<runtime::cast_i8_i16>(
          {.name = "cast_i8_i16", .family = kCast, .in = kInt8, .out = kInt16}),
      row<runtime::cast_i8_i32>(
          {.name = "cast_i8_i32", .family = kCast, .in = kInt8, .out = kInt32}),
      row<runtime::cast_i8_f32>(
          {.name = "cast_i8_f32", .family = kCast, .in = kInt8, .out = kFloat32}),
      row<runtime::cast_i16_i8>(
          {.name = "cast_i16_i8", .family = kCast, .in = kInt16, .out = kInt8}),
      row<runtime::cast_i16_i32>(
          {.name = "cast_i16_i32", .family = kCast, .in = kInt16, .out = kInt32}),
      row<runtime::cast_i16_f32>(
          {.name = "cast_i16_f32", .family = kCast, .in = kInt16, .out = kFloat32}),
      row<runtime::cast_i32_i8>(
          {.name = "cast_i32_i8", .family = kCast, .in = kInt32, .out = kInt8}),
      row<runtime::cast_i32_i16>(
          {.name = "cast_i32_i16", .family = kCast, .in = kInt32, .out = kInt16}),
      row<runtime::cast_i32_i64>(
          {.name = "cast_i32_i64", .family = kCast, .in = kInt32, .out = kInt64}),
      row<runtime::cast_i32_f32>(
          {.name = "cast_i32_f32", .family = kCast, .in = kInt32, .out = kFloat32}),
      row<runtime::cast_i64_i32>(
          {.name = "cast_i64_i32", .family = kCast, .in = kInt64, .out = kInt32}),
      row<runtime::cast_i64_f32>(
          {.name = "cast_i64_f32", .family = kCast, .in = kInt64, .out = kFloat32}),
      row<runtime::cast_f32_i8>(
          {.name = "cast_f32_i8", .family = kCast, .in = kFloat32, .out = kInt8}),
      row<runtime::cast_f32_i16>(
          {.name = "cast_f32_i16", .family = kCast, .in = kFloat32, .out = kInt16}),
      row<runtime::cast_f32_i32>(
          {.name = "cast_f32_i32", .family = kCast, .in = kFloat32, .out = kInt32}),
      row<runtime::rescale_i8_i8>({.name = "rescale_i8_i8", .family = kRescale}),
      row<runtime::rescale_i8_i16>({.name = "rescale_i8_i16", .family = kRescale, .out = kInt16}),
      row<runtime::rescale_i8_i32>({.name = "rescale_i8_i32", .family = kRescale, .out = kInt32}),
      row<runtime::rescale_i16_i8>(
          {.name = "rescale_i16_i8", .family = kRescale, .in = kInt16, .out = kInt8}),
      row<runtime::rescale_i32_i8>(
          {.name = "rescale_i32_i8", .family = kRescale, .in = kInt32, .out = kInt8}),
      row<runtime::rescale_i16_i32>(
          {.name = "rescale_i16_i32", .family = kRescale, .in = kInt16, .out = kInt32}),
      row<runtime::rescale_i16_i16>(
          {.name = "rescale_i16_i16", .family = kRescale, .in = kInt16, .out = kInt16}),
      row<runtime::rescale_i32_i16>(
          {.name = "rescale_i32_i16", .family = kRescale, .in = kInt32, .out = kInt16}),
      row<runtime::clamp_i16>({.name = "clamp_i16", .family = kClamp, .in = kInt16, .out = kInt16}),
      row<runtime::clamp>({.name = "clamp", .family = kClamp}),
      row<runtime::leaky_relu_i16_i16>(
          {.name = "leaky_relu_i16_i16", .family = kLeakyRelu, .in = kInt16, .out = kInt16}),
      row<runtime::quantize_f32_i8>(
          {.name = "quantize_f32_i8", .family = kQuantize, .in = kFloat32, .out = kInt8}),
      row<runtime::quantize_f32_i8_to_even>({.name = "quantize_f32_i8_to_even",
                                             .family = kQuantizeToEven,
                                             .in = kFloat32,
                                             .out = kInt8,
                                             .fitted_as = "quantize_f32_i8"}),
      row<runtime::quantize_f32_i16>(
          {.name = "quantize_f32_i16", .family = kQuantize, .in = kFloat32, .out = kInt16}),
      row<runtime::dequantize_i8_f32>(
          {.name = "dequantize_i8_f32", .family = kDequantize, .out = kFloat32}),
      row<runtime::dequantize_i16_f32>(
          {.name = "dequantize_i16_f32", .family = kDequantize, .in = kInt16, .out = kFloat32}),
      float_row<runtime::clamp_f32>("clamp_f32", kClamp),
      float_row<runtime::leaky_relu_f32>("leaky_relu_f32", kLeakyRelu),
  };
  return kRows;
}

}  // namespace thimble
