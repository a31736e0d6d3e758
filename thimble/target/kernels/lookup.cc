// SPDX-License-Identifier: Apache-2.0
// Functions of one int8, element by element, through a table: logistic, tanh, rsqrt, gelu, elu,
// hard swish, abs; those of conversions.cc too. Whatever the function, its table is what the
// reference interpreter gives for each of the 256 values.
#include "thimble/target/kernels/lookup.h"

#include <cmath>
#include <numeric>

#include "thimble/reference/interpreter.h"
#include "thimble/target/kernels/axes.h"
#include "thimble/target/kernels/floats.h"
#include "thimble/target/kernels/operands.h"
#include "thimble/target/kernels/quantize.h"
#include "thimble/target/kernels/rows.h"
#include "thimble/target/kernels/sigmoid.h"

namespace thimble {
namespace {

// By a table, or by a kernel of its family.
bool is_function(const Operands& t, Method method, Family family) {
  return method == Method::kCompute && (is_function_of_int8(t) || has_row(family, t));
}

std::vector<KernelUse> function_use(const Operands& t, Family family) {
  if (is_float32(t)) return float_function_use(t, family);
  return {lookup_use(t)};
}

// A quotient in float32, and what 20 bits behind the point of a root leave of it.
KernelUse rsqrt_use(const Operands& t) {
  const float denominator = std::sqrt(scale_of(t.in(0))) * scale_of(t.out());
  runtime::Scale scale = quantize_scale(1 / static_cast<double>(denominator));
  scale.shift -= 20;
  return elementwise_use(portable_kernel(Family::kRsqrt, DType::kInt16, DType::kInt16),
                         runtime::RsqrtParams{scale}, {t.in(0).shape}, t.out().shape);
}

Family gelu_family(const Gelu& a) { return a.approximate ? Family::kGeluByTanh : Family::kGelu; }

}  // namespace

KernelUse lookup_use(const Operands& t) {
  return elementwise_use(portable_kernel(Family::kLookup), runtime::LookupParams{}, {t.in(0).shape},
                         t.out().shape);
}

bool supported(const Logistic&, const Operands& t, Method method) {
  return is_function(t, method, Family::kLogistic);
}
bool supported(const Tanh&, const Operands& t, Method method) {
  return is_function(t, method, Family::kTanh);
}
bool supported(const Rsqrt&, const Operands& t, Method method) {
  return is_function(t, method, Family::kRsqrt);
}
bool supported(const Elu&, const Operands& t, Method method) {
  return is_function(t, method, Family::kElu);
}
bool supported(const HardSwish&, const Operands& t, Method method) {
  return is_function(t, method, Family::kHardSwish);
}
/// ABS of int16 is a leaky relu whose slope below zero is that above, negated.
bool supported(const Abs&, const Operands& t, Method method) {
  return is_function(t, method, Family::kAbs) ||
         (method == Method::kCompute && t.in(0).type == DType::kInt16 &&
          has_row(Family::kLeakyRelu, t));
}
bool supported(const Gelu& a, const Operands& t, Method method) {
  return is_function(t, method, gelu_family(a));
}

std::vector<KernelUse> uses(const Logistic&, const Operands& t, Method) {
  if (t.in(0).type == DType::kInt16) return {sigmoid_use(t, Family::kLogistic, 0)};
  return function_use(t, Family::kLogistic);
}
std::vector<KernelUse> uses(const Tanh&, const Operands& t, Method) {
  if (t.in(0).type == DType::kInt16) return {sigmoid_use(t, Family::kTanh, 1)};
  return function_use(t, Family::kTanh);
}
std::vector<KernelUse> uses(const Rsqrt&, const Operands& t, Method) {
  if (t.in(0).type == DType::kInt16) return {rsqrt_use(t)};
  return function_use(t, Family::kRsqrt);
}
std::vector<KernelUse> uses(const Elu&, const Operands& t, Method) {
  return function_use(t, Family::kElu);
}
std::vector<KernelUse> uses(const HardSwish&, const Operands& t, Method) {
  return function_use(t, Family::kHardSwish);
}
std::vector<KernelUse> uses(const Abs&, const Operands& t, Method) {
  if (t.in(0).type != DType::kInt16) return function_use(t, Family::kAbs);
  const runtime::Scale scale =  // a quotient in float32
      quantize_scale(static_cast<double>(scale_of(t.in(0)) / scale_of(t.out())));
  const ClampRange clamp = value_range(t.out().type);
  const runtime::LeakyReluParams params{.positive = scale,
                                        .negative = {-scale.multiplier, scale.shift},
                                        .input_zero_point = zero_point_of(t.in(0)),
                                        .output_zero_point = zero_point_of(t.out()),
                                        .clamp_min = clamp.min,
                                        .clamp_max = clamp.max};
  return {elementwise_use(portable_kernel(Family::kLeakyRelu, t.in(0).type, t.out().type), params,
                          {t.in(0).shape}, t.out().shape)};
}
std::vector<KernelUse> uses(const Gelu& a, const Operands& t, Method) {
  return function_use(t, gelu_family(a));
}

namespace {

std::vector<PackedConstant> pack_lookup(const Operands& t) {
  Graph graph;
  for (const Tensor* tensor : {&t.in(0), &t.out()}) {
    graph.tensors.push_back({"", {256}, tensor->type, tensor->quantization, nullptr});
  }
  const Op op{t.op.attributes, {{0}}, {{1}}, t.op.file_index};
  Bytes values(256);
  std::iota(values.begin(), values.end(), uint8_t{0x80});  // from -128 to 127
  return {{"table", DType::kInt8, {256}, interpret_op(graph, op, {values, {}}).at(0)}};
}

}  // namespace

std::span<const KernelInfo> lookup_rows() {
  using enum DType;
  using enum Family;
  using enum InstructionSet;
  static constexpr KernelInfo kRows[] = {
      row<runtime::lookup_i8>({.name = "lookup_i8", .family = kLookup, .pack = pack_lookup}),
      row<runtime::lookup_i8_mve>(
          {.name = "lookup_i8_mve", .family = kLookup, .set = kMve, .pack = pack_lookup}),
      row<runtime::logistic_i16>({.name = "logistic_i16",
                                  .family = kLogistic,
                                  .in = kInt16,
                                  .out = kInt16,
                                  .pack = pack_sigmoid}),
      row<runtime::tanh_i16>(
          {.name = "tanh_i16", .family = kTanh, .in = kInt16, .out = kInt16, .pack = pack_sigmoid}),
      row<runtime::rsqrt_i16>({.name = "rsqrt_i16", .family = kRsqrt, .in = kInt16, .out = kInt16}),
      float_row<runtime::abs_f32>("abs_f32", kAbs),
      float_row<runtime::elu_f32>("elu_f32", kElu),
      float_row<runtime::gelu_f32>("gelu_f32", kGelu),
      float_row<runtime::gelu_by_tanh_f32>("gelu_by_tanh_f32", kGeluByTanh),
      float_row<runtime::hard_swish_f32>("hard_swish_f32", kHardSwish),
      float_row<runtime::logistic_f32>("logistic_f32", kLogistic),
      float_row<runtime::rsqrt_f32>("rsqrt_f32", kRsqrt),
      float_row<runtime::tanh_f32>("tanh_f32", kTanh),
  };
  return kRows;
}

}  // namespace thimble
