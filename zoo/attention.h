// SPDX-License-Identifier: Apache-2.0
// Attention (Vaswani et al. 2017, "Attention is all you need") and what stands around it.
#pragma once

#include "zoo/builder.h"

namespace thimble::zoo {

struct Attention {
  int64_t tokens, width, heads;
  bool scaled = false;  ///< scores are multiplied by 1 / sqrt(width / heads)
};

/// Throws CompileError where the heads do not divide the width.
void check_heads(const std::string& name, const Attention& attention);

/// A fully connected layer of each token by itself.
[[nodiscard]] TensorId linear(Builder& net, TensorId x, int64_t channels,
                              Activation activation = Activation::kNone);

/// Attention of x [1, tokens, width] to itself, projection included; the same shape.
[[nodiscard]] TensorId self_attention(Builder& net, TensorId x, const Attention& attention);

/// As converters write it (tf.nn.moments, tf.nn.batch_normalization): mean, squared difference,
/// mean; epsilon, rsqrt, gain; x and the mean times that, offset less the second, their sum.
[[nodiscard]] TensorId layer_norm(Builder& net, TensorId x, float epsilon);

/// Without a mean and an offset: x / sqrt(mean of its squares + epsilon), and a gain per channel.
[[nodiscard]] TensorId rms_norm(Builder& net, TensorId x, float epsilon);

}  // namespace thimble::zoo
