// SPDX-License-Identifier: Apache-2.0
// What kernels of instruction sets ask of a convolution. Private to thimble/target/kernels.
#pragma once

#include "thimble/target/kernels/kernel.h"

namespace thimble {

/// What all convolutions of integers have.
struct ConvolutionShape {
  runtime::Window2D window;
  int32_t in_per_group, out_per_group;
};
inline ConvolutionShape convolution_shape(const KernelParams& params) {
  if (const auto* p = std::get_if<runtime::UnfoldedConv2DParams>(&params))
    return {p->window, p->in_per_group, p->out_per_group};
  const auto& p = std::get<runtime::Conv2DParams>(params);
  return {p.window, p.in_per_group, p.out_per_group};
}

/// One group of channels. Weights with a zero point that meet one channel may be of a depthwise
/// convolution, which has them in another order.
inline bool is_ungrouped(const KernelUse& use) {
  const ConvolutionShape shape = convolution_shape(use.params);
  const bool may_be_depthwise =
      std::holds_alternative<runtime::UnfoldedConv2DParams>(use.params) && shape.in_per_group == 1;
  return !may_be_depthwise && shape.out_per_group == use.limits.back().end;
}

inline bool has_nibbles(const KernelUse& use) { return use.nibbles; }

/// A window of one tap that never meets padding, one group of channels.
inline bool is_single_tap(const KernelUse& use) {
  const runtime::Window2D w = convolution_shape(use.params).window;
  return w.kernel_h == 1 && w.kernel_w == 1 && w.pad_top == 0 && w.pad_left == 0 &&
         is_ungrouped(use);
}

}  // namespace thimble
