// SPDX-License-Identifier: Apache-2.0
#include "thimble/target/kernels/convolution/unfolded_conv_2d.h"

#include <algorithm>

#include "thimble/model/rounding.h"
#include "thimble/target/kernels/axes.h"
#include "thimble/target/kernels/convolution/conv_2d_words.h"
#include "thimble/target/kernels/convolution/float_conv_2d.h"
#include "thimble/target/kernels/convolution/weights.h"
#include "thimble/target/kernels/floats.h"
#include "thimble/target/kernels/quantize.h"
#include "thimble/target/kernels/rows.h"

namespace thimble {
namespace {

bool has_symmetric_weights(const Operands& t) {
  if (t.count() < 2 || t.count() > 3) return false;
  const Tensor& weights = t.in(1);
  const std::vector<int32_t>& zeros = weights.quantization.zero_points;
  return weights.type == DType::kInt8 && weights.is_constant() &&
         std::ranges::all_of(zeros, [](int32_t z) { return z == 0; }) &&
         (t.bias() == nullptr || t.bias()->is_constant());
}

}  // namespace

bool has_int16_weights(const Operands& t) {
  return has_symmetric_weights(t) && t.in(0).type == DType::kInt16 && t.out().type == DType::kInt16;
}

bool has_offset_weights(const Operands& t) {
  if (t.count() < 2 || t.count() > 3) return false;
  const Tensor& weights = t.in(1);
  const Tensor* bias = t.bias();
  return t.in(0).type == DType::kInt8 && weights.type == DType::kInt8 &&
         t.out().type == DType::kInt8 && weights.is_constant() &&
         weights.quantization.zero_points.size() == 1 && zero_point_of(weights) != 0 &&
         (bias == nullptr || (bias->type == DType::kInt32 && bias->is_constant()));
}

KernelUse unfolded_use(const Operands& t, Family family, const ConvolutionAxes& axes,
                       runtime::UnfoldedConv2DParams params, Activation activation) {
  const ClampRange clamp = clamp_range(activation, t.out());
  params.out_channels = static_cast<int32_t>(t.out().shape.back());
  params.input_zero_point = zero_point_of(t.in(0));
  params.output_zero_point = zero_point_of(t.out());
  params.weights_zero_point = zero_point_of(t.in(1));
  params.clamp_min = clamp.min;
  params.clamp_max = clamp.max;
  params.rounds_once = rounds_once(t.graph, t.op) ? 1 : 0;
  return {.kernel = portable_kernel(family, t.in(0).type, t.out().type),
          .params = params,
          .inputs = {0},
          .in = {axes.in},
          .out = axes.out,
          .limits = limits_of(axes.out, t.out().shape),
          .words = t.in(0).type == DType::kInt16 &&
                   takes_words(channel_scales(t, static_cast<size_t>(t.out().shape.back()),
                                              scale_of(t.out())),
                               params.rounds_once != 0)};
}

bool supported(const TransposeConv&, const Operands& t, Method method) {
  return method == Method::kCompute && (has_symmetric_weights(t) || has_float_weights(t)) &&
         has_row(Family::kTransposeConv, t);
}

std::vector<KernelUse> uses(const TransposeConv& a, const Operands& t, Method) {
  const auto fill = [&](auto params) {
    params.window = window_of(a.window, t.in(0).shape);
    params.in_per_group = static_cast<int32_t>(t.in(1).shape.back());
    params.out_per_group = static_cast<int32_t>(t.out().shape.back());
    return params;
  };
  const ConvolutionAxes axes{identity_axes(4), identity_axes(4)};
  if (is_float32(t)) {
    return {float_convolution_use(t, Family::kTransposeConv, axes,
                                  fill(runtime::FloatConv2DParams{}), a.activation)};
  }
  return {unfolded_use(t, Family::kTransposeConv, axes, fill(runtime::UnfoldedConv2DParams{}),
                       a.activation)};
}

namespace {

/// Convolutions that fold nothing into their bias, of one type.
template <auto Kernel>
constexpr KernelInfo unfolded_row(const char* name, Family family, DType type) {
  return row<Kernel>({.name = name,
                      .family = family,
                      .in = type,
                      .out = type,
                      .progress = Progress::kPixel,
                      .pack = pack_unfolded_conv_2d});
}

/// Transposed ones of int8 by instruction sets.
template <auto Kernel>
constexpr KernelInfo transpose_conv_row(const char* name, InstructionSet set) {
  KernelInfo result = unfolded_row<Kernel>(name, Family::kTransposeConv, DType::kInt8);
  result.set = set;
  result.dense_channels = true;
  return result;
}

}  // namespace

std::span<const KernelInfo> unfolded_conv_2d_rows() {
  using enum DType;
  using enum Family;
  using enum InstructionSet;
  static constexpr KernelInfo kRows[] = {
      unfolded_row<runtime::conv_2d_i16>("conv_2d_i16", kConv2D, kInt16),
      unfolded_row<runtime::conv_2d_offset>("conv_2d_offset", kConv2DOffset, kInt8),
      unfolded_row<runtime::transpose_conv>("transpose_conv", kTransposeConv, kInt8),
      transpose_conv_row<runtime::transpose_conv_mve>("transpose_conv_mve", kMve),
      transpose_conv_row<runtime::transpose_conv_dsp>("transpose_conv_dsp", kDsp),
      unfolded_row<runtime::transpose_conv_i16>("transpose_conv_i16", kTransposeConv, kInt16),
  };
  return kRows;
}

}  // namespace thimble
