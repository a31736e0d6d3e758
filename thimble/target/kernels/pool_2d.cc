// SPDX-License-Identifier: Apache-2.0
#include "thimble/target/kernels/axes.h"
#include "thimble/target/kernels/convolution/weights.h"
#include "thimble/target/kernels/floats.h"
#include "thimble/target/kernels/operands.h"
#include "thimble/target/kernels/quantize.h"
#include "thimble/target/kernels/rows.h"

namespace thimble {
namespace {

// One window, which covers the input.
bool pools_all(const Window& w, const Operands& t) {
  const Shape &x = t.in(0).shape, &out = t.out().shape;
  return out[1] == 1 && out[2] == 1 && w.kernel_h - w.padding.top >= x[1] &&
         w.kernel_w - w.padding.left >= x[2];
}

Family average_family(const Operands& t) {
  if (t.is_onnx()) return Family::kAveragePool2DToEven;
  return t.is_uint8() ? Family::kAveragePool2DTiesUp : Family::kAveragePool2D;
}

Family family_of(const MaxPool2D& a) { return a.least ? Family::kMinPool2D : Family::kMaxPool2D; }

KernelId kernel_of(Family family, const Operands& t) {
  return portable_kernel(family, t.in(0).type, t.out().type);
}

KernelParams pool_params(const Window& window, Activation activation, const Operands& t) {
  const runtime::Window2D walked = window_of(window, t.in(0).shape);
  if (is_float32(t)) {
    const runtime::FloatClampParams clamp = float_clamp(activation);
    return runtime::FloatPool2DParams{walked, clamp.clamp_min, clamp.clamp_max};
  }
  const ClampRange clamp = clamp_range(activation, t.out());
  if (t.is_onnx() && std::holds_alternative<AveragePool2D>(t.op.attributes)) {
    return runtime::NumberPoolParams{.window = walked,
                                     .scale = scale_of(t.in(0)),
                                     .output_scale = scale_of(t.out()),
                                     .zero_point = zero_point_of(t.in(0)),
                                     .output_zero_point = zero_point_of(t.out()),
                                     .clamp_min = clamp.min,
                                     .clamp_max = clamp.max};
  }
  return runtime::Pool2DParams{walked, clamp.min, clamp.max};
}

KernelUse pool_use(KernelId kernel, const Window& window, Activation activation,
                   const Operands& t) {
  return {.kernel = kernel,
          .params = pool_params(window, activation, t),
          .inputs = {0},
          .in = {identity_axes(4)},
          .out = identity_axes(4),
          .limits = limits_of(identity_axes(4), t.out().shape)};
}

}  // namespace

bool supported(const AveragePool2D& a, const Operands& t, Method method) {
  if (!has_row(average_family(t), t) || method == Method::kInPlace) return false;
  if (t.is_uint8() || t.is_onnx()) return method == Method::kCompute;
  return method == Method::kCompute || (!is_float32(t) && pools_all(a.window, t));
}

bool supported(const MaxPool2D& a, const Operands& t, Method method) {
  return method == Method::kCompute && has_row(family_of(a), t);
}

bool supported(const L2Pool2D&, const Operands& t, Method method) {
  return method == Method::kCompute && has_row(Family::kL2Pool2D, t);
}

std::vector<KernelUse> uses(const AveragePool2D& a, const Operands& t, Method method) {
  if (method == Method::kAccumulate)
    return {sum_use(t, {false, true, true, false}, identity_axes(4))};
  const bool finalise = method == Method::kFinalise;
  return {pool_use(
      finalise ? portable_kernel(Family::kAveragePool2DFinalise, DType::kInt32, t.out().type)
               : kernel_of(average_family(t), t),
      a.window, a.activation, t)};
}

std::vector<KernelUse> uses(const MaxPool2D& a, const Operands& t, Method) {
  return {pool_use(kernel_of(family_of(a), t), a.window, a.activation, t)};
}

std::vector<KernelUse> uses(const L2Pool2D& a, const Operands& t, Method) {
  return {pool_use(float_kernel(Family::kL2Pool2D), a.window, a.activation, t)};
}

std::span<const KernelInfo> pool_2d_rows() {
  using enum DType;
  using enum Family;
  using enum InstructionSet;
  using enum Progress;
  static constexpr KernelInfo kRows[] = {
      row<runtime::average_pool_2d>(
          {.name = "average_pool_2d", .family = kAveragePool2D, .progress = kPixel}),
      boxes_row<runtime::average_pool_2d_mve>("average_pool_2d_mve", kAveragePool2D, kMve),
      boxes_row<runtime::average_pool_2d_dsp>("average_pool_2d_dsp", kAveragePool2D, kDsp),
      row<runtime::average_pool_2d_ties_up>(
          {.name = "average_pool_2d_ties_up", .family = kAveragePool2DTiesUp, .progress = kPixel}),
      row<runtime::average_pool_2d_to_even>({.name = "average_pool_2d_to_even",
                                             .family = kAveragePool2DToEven,
                                             .progress = kPixel,
                                             .fitted_as = "average_pool_2d_f32"}),
      row<runtime::average_pool_2d_finalise>({.name = "average_pool_2d_finalise",
                                              .family = kAveragePool2DFinalise,
                                              .in = kInt32,
                                              .out = kInt8}),
      row<runtime::average_pool_2d_i16>({.name = "average_pool_2d_i16",
                                         .family = kAveragePool2D,
                                         .in = kInt16,
                                         .out = kInt16,
                                         .progress = kPixel}),
      row<runtime::average_pool_2d_finalise_i16>({.name = "average_pool_2d_finalise_i16",
                                                  .family = kAveragePool2DFinalise,
                                                  .in = kInt32,
                                                  .out = kInt16}),
      row<runtime::max_pool_2d>({.name = "max_pool_2d", .family = kMaxPool2D, .progress = kPixel}),
      boxes_row<runtime::max_pool_2d_mve>("max_pool_2d_mve", kMaxPool2D, kMve),
      boxes_row<runtime::max_pool_2d_dsp>("max_pool_2d_dsp", kMaxPool2D, kDsp),
      row<runtime::max_pool_2d_i16>({.name = "max_pool_2d_i16",
                                     .family = kMaxPool2D,
                                     .in = kInt16,
                                     .out = kInt16,
                                     .progress = kPixel}),
      row<runtime::min_pool_2d>({.name = "min_pool_2d", .family = kMinPool2D, .progress = kPixel}),
      row<runtime::min_pool_2d_i16>({.name = "min_pool_2d_i16",
                                     .family = kMinPool2D,
                                     .in = kInt16,
                                     .out = kInt16,
                                     .progress = kPixel}),
      float_row<runtime::average_pool_2d_f32>("average_pool_2d_f32", kAveragePool2D, kPixel),
      float_row<runtime::l2_pool_2d_f32>("l2_pool_2d_f32", kL2Pool2D, kPixel),
      float_row<runtime::max_pool_2d_f32>("max_pool_2d_f32", kMaxPool2D, kPixel),
      float_row<runtime::min_pool_2d_f32>("min_pool_2d_f32", kMinPool2D, kPixel),
  };
  return kRows;
}

}  // namespace thimble
