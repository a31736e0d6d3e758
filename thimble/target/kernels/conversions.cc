// SPDX-License-Identifier: Apache-2.0
// Element by element from one quantisation or type to another: relu, relu6, quantize, dequantize.
#include <algorithm>
#include <optional>

#include "thimble/model/error.h"
#include "thimble/target/kernels/axes.h"
#include "thimble/target/kernels/operands.h"
#include "thimble/target/kernels/quantize.h"

namespace thimble {
namespace {

std::optional<KernelId> quantize_kernel(DType in, DType out) {
  struct Entry {
    DType in, out;
    KernelId kernel;
  };
  static constexpr Entry kEntries[] = {
      {DType::kInt8, DType::kInt8, KernelId::kRescaleI8I8},
      {DType::kInt8, DType::kUInt8, KernelId::kRescaleI8U8},
      {DType::kUInt8, DType::kInt8, KernelId::kRescaleU8I8},
      {DType::kInt8, DType::kInt16, KernelId::kRescaleI8I16},
      {DType::kInt16, DType::kInt8, KernelId::kRescaleI16I8},
      {DType::kInt32, DType::kInt8, KernelId::kRescaleI32I8},
      {DType::kInt16, DType::kInt32, KernelId::kRescaleI16I32},
      {DType::kFloat32, DType::kInt8, KernelId::kQuantizeF32I8},
      {DType::kFloat32, DType::kInt16, KernelId::kQuantizeF32I16},
  };
  for (const Entry& entry : kEntries) {
    if (entry.in == in && entry.out == out) return entry.kernel;
  }
  return std::nullopt;
}

std::optional<KernelId> dequantize_kernel(DType in, DType out) {
  if (out != DType::kFloat32) return std::nullopt;
  if (in == DType::kInt8) return KernelId::kDequantizeI8F32;
  if (in == DType::kInt16) return KernelId::kDequantizeI16F32;
  return std::nullopt;
}

runtime::RescaleParams rescale_params(const Operands& t, const ClampRange& clamp) {
  return {.scale = quantize_scale(static_cast<double>(scale_of(t.in(0))) /
                                  static_cast<double>(scale_of(t.out()))),
          .input_zero_point = zero_point_of(t.in(0)),
          .output_zero_point = zero_point_of(t.out()),
          .clamp_min = clamp.min,
          .clamp_max = clamp.max};
}

std::vector<KernelUse> one_use(KernelId kernel, const KernelParams& params, const Operands& t) {
  return {elementwise_use(kernel, params, {t.in(0).shape}, t.out().shape)};
}

bool both_int8(const Operands& t) {
  return t.in(0).type == DType::kInt8 && t.out().type == DType::kInt8;
}

}  // namespace

bool supported(const Relu&, const Operands& t, Method method) {
  return method == Method::kCompute && both_int8(t);
}

std::vector<KernelUse> uses(const Relu&, const Operands& t, Method) {
  return one_use(KernelId::kRescaleI8I8, rescale_params(t, clamp_range(Activation::kRelu, t.out())),
                 t);
}

/// Raw values are clamped: right only where input and output have the same quantisation.
bool supported(const Relu6&, const Operands& t, Method method) {
  return method == Method::kCompute && both_int8(t) && t.in(0).quantization == t.out().quantization;
}

std::vector<KernelUse> uses(const Relu6&, const Operands& t, Method) {
  const ClampRange clamp = clamp_range(Activation::kRelu6, t.in(0));
  return one_use(KernelId::kClamp, runtime::ClampParams{clamp.min, clamp.max}, t);
}

bool supported(const Quantize&, const Operands& t, Method method) {
  return method == Method::kCompute && quantize_kernel(t.in(0).type, t.out().type).has_value();
}

std::vector<KernelUse> uses(const Quantize&, const Operands& t, Method) {
  const KernelId kernel = quantize_kernel(t.in(0).type, t.out().type).value();
  if (t.in(0).type == DType::kFloat32) {
    return one_use(kernel, runtime::FloatParams{scale_of(t.out()), zero_point_of(t.out())}, t);
  }
  return one_use(kernel, rescale_params(t, value_range(t.out().type)), t);
}

bool supported(const Dequantize&, const Operands& t, Method method) {
  return method == Method::kCompute && dequantize_kernel(t.in(0).type, t.out().type).has_value();
}

std::vector<KernelUse> uses(const Dequantize&, const Operands& t, Method) {
  return one_use(dequantize_kernel(t.in(0).type, t.out().type).value(),
                 runtime::FloatParams{scale_of(t.in(0)), zero_point_of(t.in(0))}, t);
}

}  // namespace thimble
