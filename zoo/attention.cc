// SPDX-License-Identifier: Apache-2.0
#include "zoo/attention.h"

#include <fmt/format.h>

#include <cmath>

#include "thimble/model/error.h"

namespace thimble::zoo {
namespace {

/// [1, tokens, width] -> [1, heads, tokens, width / heads].
TensorId split_heads(Builder& net, TensorId x, const Attention& a) {
  if (a.heads == 1) return x;
  return net.transpose(net.reshape(x, {1, a.tokens, a.heads, a.width / a.heads}), {0, 2, 1, 3});
}

TensorId join_heads(Builder& net, TensorId x, const Attention& a) {
  if (a.heads == 1) return x;
  return net.reshape(net.transpose(x, {0, 2, 1, 3}), {1, a.tokens, a.width});
}

}  // namespace

void check_heads(const std::string& name, const Attention& a) {
  if (a.width % a.heads == 0) return;
  throw CompileError("zoo:" + name, fmt::format("the width, {}, is no multiple of the heads, {}",
                                                a.width, a.heads));
}

TensorId linear(Builder& net, TensorId x, int64_t channels, Activation activation) {
  return net.fully_connected(x,
                             {.channels = channels, .activation = activation, .keep_axes = true});
}

TensorId self_attention(Builder& net, TensorId x, const Attention& a) {
  const TensorId queries = split_heads(net, linear(net, x, a.width), a);
  const TensorId keys = split_heads(net, linear(net, x, a.width), a);
  const TensorId values = split_heads(net, linear(net, x, a.width), a);
  TensorId scores = net.batch_matmul(queries, keys, true);
  if (a.scaled) {
    const int64_t width_of_head = a.width / a.heads;
    const double scale = 1 / std::sqrt(static_cast<double>(width_of_head));
    scores = net.mul(scores, net.number("scale", static_cast<float>(scale)));
  }
  const TensorId context = net.batch_matmul(net.softmax(scores), values);
  return linear(net, join_heads(net, context, a), a.width);
}

TensorId layer_norm(Builder& net, TensorId x, float epsilon) {
  const int64_t width = net.channels(x);
  const TensorId mean = net.mean_of_channels(x);
  const TensorId variance = net.mean_of_channels(net.squared_difference(x, mean));
  const TensorId root = net.rsqrt(net.add(variance, net.number("epsilon", epsilon)));
  const TensorId gain = net.mul(root, net.vector("gamma", width, 0.8, 1.2));
  const TensorId offset = net.sub(net.vector("beta", width, -0.25, 0.25), net.mul(mean, gain));
  return net.add(net.mul(x, gain), offset);
}

TensorId rms_norm(Builder& net, TensorId x, float epsilon) {
  const TensorId mean = net.mean_of_channels(net.mul(x, x));
  const TensorId root = net.rsqrt(net.add(mean, net.number("epsilon", epsilon)));
  return net.mul(net.mul(x, root), net.vector("gamma", net.channels(x), 0.8, 1.2));
}

}  // namespace thimble::zoo
