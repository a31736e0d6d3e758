// SPDX-License-Identifier: Apache-2.0
#include "thimble/kernels/conv_2d.h"

#include "thimble/kernels/axes.h"
#include "thimble/kernels/quantize.h"
#include "thimble/kernels/weights.h"
#include "thimble/model/error.h"

namespace thimble {
namespace {

KernelId convolution_kernel(Method method) {
  switch (method) {
    case Method::kCompute:
      return KernelId::kConv2D;
    case Method::kAccumulate:
      return KernelId::kConv2DAccumulate;
    case Method::kFinalise:
      return KernelId::kConv2DFinalise;
    case Method::kInPlace:
      break;
  }
  throw InternalError("a convolution has no kernel that executes in place");
}

}  // namespace

KernelUse convolution_use(const Operands& t, Method method, const ConvolutionAxes& axes,
                          runtime::Conv2DParams params, Activation activation) {
  const ClampRange clamp = clamp_range(activation, t.out());
  params.input_zero_point = zero_point_of(t.in(0));
  params.output_zero_point = zero_point_of(t.out());
  params.clamp_min = clamp.min;
  params.clamp_max = clamp.max;
  const bool finalise = method == Method::kFinalise;
  return {.kernel = convolution_kernel(method),
          .params = params,
          .constants = weight_constants(t, WeightOrder::kChannelFirst, t.in(1).shape),
          .inputs = {0},
          .in = {finalise ? axes.out : axes.in},
          .out = axes.out,
          .limits = limits_of(axes.out, t.out().shape)};
}

bool supported(const Conv2D&, const Operands& t, Method method) {
  if (method == Method::kInPlace || !has_foldable_weights(t)) return false;
  const bool grouped = t.in(0).shape.back() != t.in(1).shape.back();
  if (grouped && method != Method::kCompute) return false;
  return folded_bias(t, WeightOrder::kChannelFirst).has_value();
}

std::vector<KernelUse> uses(const Conv2D& a, const Operands& t, Method method) {
  const int64_t per_group = t.in(1).shape.back();
  const int64_t groups = t.in(0).shape.back() / per_group;
  runtime::Conv2DParams params{};
  params.window = window_of(a.window, t.in(0).shape);
  params.in_per_group = static_cast<int32_t>(per_group);
  params.out_per_group = static_cast<int32_t>(t.out().shape.back() / groups);
  return {convolution_use(t, method, {identity_axes(4), identity_axes(4)}, params, a.activation)};
}

}  // namespace thimble
