// SPDX-License-Identifier: Apache-2.0
#include "thimble/target/kernels/axes.h"
#include "thimble/target/kernels/convolution/unfolded_conv_2d.h"
#include "thimble/target/kernels/convolution/weights.h"
#include "thimble/target/kernels/depthwise/depthwise_dsp.h"
#include "thimble/target/kernels/floats.h"
#include "thimble/target/kernels/operands.h"
#include "thimble/target/kernels/packing.h"
#include "thimble/target/kernels/quantize.h"

namespace thimble {

std::vector<PackedConstant> pack_depthwise_conv_2d(const Operands& t) {
  const Shape& weights = t.in(1).shape;
  return weight_constants(t, WeightOrder::kChannelLast, {weights[1], weights[2], weights[3]});
}

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

}  // namespace thimble
