// SPDX-License-Identifier: Apache-2.0
// Blocks that several families share.
#pragma once

#include "zoo/builder.h"

namespace thimble::zoo {

/// Inverted residual with linear bottleneck (Sandler et al. 2018, figure 3): pointwise to
/// `expanded`, depthwise, pointwise to `channels`.
struct InvertedResidual {
  int64_t expanded = 0;  ///< channels between; those of the input: no first convolution
  int64_t channels = 1;
  int64_t kernel = 3, stride = 1;
  struct {
    int64_t kernel = 1, stride = 1;
  } projection;
  int64_t squeezed = 0;  ///< channels inside a squeeze-and-excitation; 0: without
  Activation activation = Activation::kRelu6;
  bool residual = true;  ///< add the input, if the output has its shape
};
[[nodiscard]] TensorId inverted_residual(Builder& net, TensorId x, const InvertedResidual& block);

/// Hu et al. 2018: x times a gate per channel, computed from the means over height and width.
[[nodiscard]] TensorId squeeze_excite(Builder& net, TensorId x, int64_t squeezed);

/// Depthwise 3x3, then pointwise, each with `activation`.
[[nodiscard]] TensorId separable(Builder& net, TensorId x, int64_t channels, int64_t stride = 1,
                                 Activation activation = Activation::kRelu6);

/// Means over height and width, a fully connected layer, softmax.
[[nodiscard]] TensorId classifier(Builder& net, TensorId x, int64_t classes);

/// `value` to a multiple of 8, at least 8, and not below nine tenths (MobileNet's rule).
[[nodiscard]] int64_t multiple_of_8(double value);

}  // namespace thimble::zoo
