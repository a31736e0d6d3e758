// SPDX-License-Identifier: Apache-2.0
#include "thimble/target/kernels/axes.h"
#include "thimble/target/kernels/convolution/float_conv_2d.h"
#include "thimble/target/kernels/convolution/unfolded_conv_2d.h"
#include "thimble/target/kernels/convolution/weights.h"
#include "thimble/target/kernels/depthwise/depthwise_dsp.h"
#include "thimble/target/kernels/floats.h"
#include "thimble/target/kernels/operands.h"
#include "thimble/target/kernels/quantize.h"
#include "thimble/target/kernels/rows.h"

namespace thimble {

bool supported(const DepthwiseConv2D& a, const Operands& t, Method method) {
  if (has_int16_weights(t) || has_float_weights(t)) return method == Method::kCompute;
  if (has_offset_weights(t)) return method == Method::kCompute;
  if (!has_foldable_weights(t) || !bias_folds(t, WeightOrder::kChannelLast)) return false;
  if (method == Method::kInPlace) return a.multiplier == 1 && t.in(0).shape == t.out().shape;
  return method == Method::kCompute;
}

std::vector<KernelUse> uses(const DepthwiseConv2D& a, const Operands& t, Method method) {
  const Shape& weights = t.in(1).shape;  // [1, kernel_h, kernel_w, out channels], as the kernel's
  const ConvolutionAxes axes{identity_axes(4), identity_axes(4)};
  const auto grouped = [&](auto params) {  // as many groups as input channels
    params.window = window_of(a.window, t.in(0).shape);
    params.in_per_group = 1;
    params.out_per_group = static_cast<int32_t>(a.multiplier);
    return params;
  };
  if (is_float32(t)) {
    return {float_convolution_use(t, Family::kConv2D, axes, grouped(runtime::FloatConv2DParams{}),
                                  a.activation)};
  }
  if (has_int16_weights(t) || has_offset_weights(t)) {
    const Family family = has_offset_weights(t) ? Family::kConv2DOffset : Family::kConv2D;
    KernelUse use =
        unfolded_use(t, family, axes, grouped(runtime::UnfoldedConv2DParams{}), a.activation);
    if (has_offset_weights(t) && bias_folds(t, WeightOrder::kChannelLast))
      use.tail = depthwise_tail(t, clamp_range(a.activation, t.out()));
    return {use};
  }
  const ClampRange clamp = clamp_range(a.activation, t.out());
  runtime::DepthwiseConv2DParams params{};
  params.window = window_of(a.window, t.in(0).shape);
  params.out_channels = static_cast<int32_t>(weights[3]);
  params.multiplier = static_cast<int32_t>(a.multiplier);
  params.input_zero_point = zero_point_of(t.in(0));
  params.output_zero_point = zero_point_of(t.out());
  params.clamp_min = clamp.min;
  params.clamp_max = clamp.max;
  const bool in_place = method == Method::kInPlace;
  const Family family = in_place ? Family::kDepthwiseConv2DInPlace : Family::kDepthwiseConv2D;
  return {{.kernel = portable_kernel(family),
           .params = params,
           .inputs = {0},
           .in = {identity_axes(4)},
           .out = identity_axes(4),
           .limits = limits_of(identity_axes(4), t.out().shape),
           .tail = depthwise_tail(t, clamp)}};
}

namespace {

std::vector<PackedConstant> pack_depthwise_conv_2d(const Operands& t) {
  const Shape& weights = t.in(1).shape;
  return weight_constants(t, WeightOrder::kChannelLast, {weights[1], weights[2], weights[3]});
}

/// A depthwise window of a few vectors; shifts to the right alone.
bool is_depthwise_of_vectors(const KernelUse& use) {
  const runtime::Window2D& w = std::get<runtime::DepthwiseConv2DParams>(use.params).window;
  return is_depthwise_clamped(use) && w.kernel_h * w.kernel_w <= 64;
}

}  // namespace

std::span<const KernelInfo> depthwise_conv_2d_rows() {
  using enum Family;
  using enum InstructionSet;
  using enum Progress;
  static constexpr KernelInfo kRows[] = {
      row<runtime::depthwise_conv_2d>({.name = "depthwise_conv_2d",
                                       .family = kDepthwiseConv2D,
                                       .progress = kPixel,
                                       .pack = pack_depthwise_conv_2d}),
      row<runtime::depthwise_conv_2d_mve>(
          {.name = "depthwise_conv_2d_mve",
           .family = kDepthwiseConv2D,
           .set = kMve,
           .progress = kPixel,
           .dense_channels = true,
           .takes = is_depthwise_of_vectors,
           .scratch_bytes = bytes_by<runtime::depthwise_conv_2d_mve_scratch_bytes>,
           .pack = pack_depthwise_conv_2d}),
      row<runtime::depthwise_conv_2d_in_place>(
          {.name = "depthwise_conv_2d_in_place",
           .family = kDepthwiseConv2DInPlace,
           .progress = kPlane,
           .rings = false,
           .whole_axes = kWholeImages,
           .scratch_bytes = bytes_by<runtime::depthwise_conv_2d_in_place_scratch_bytes>,
           .pack = pack_depthwise_conv_2d}),
  };
  return kRows;
}

}  // namespace thimble
