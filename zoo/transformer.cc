// SPDX-License-Identifier: Apache-2.0
// Encoder blocks of a transformer (Vaswani et al. 2017, "Attention is all you need"): attention
// with a residual, feed-forward with a residual. Layer normalisation is left out: its operators are
// not supported yet.
#include <fmt/format.h>

#include "thimble/model/error.h"
#include "zoo/builder.h"
#include "zoo/networks.h"

namespace thimble::zoo {
namespace {

struct Attention {
  int64_t tokens, width, heads;
};

TensorId linear(Builder& net, TensorId x, int64_t channels,
                Activation activation = Activation::kNone) {
  return net.fully_connected(x,
                             {.channels = channels, .activation = activation, .keep_axes = true});
}

/// [1, tokens, width] -> [1, heads, tokens, width / heads].
TensorId split_heads(Builder& net, TensorId x, const Attention& a) {
  if (a.heads == 1) return x;
  return net.transpose(net.reshape(x, {1, a.tokens, a.heads, a.width / a.heads}), {0, 2, 1, 3});
}

TensorId join_heads(Builder& net, TensorId x, const Attention& a) {
  if (a.heads == 1) return x;
  return net.reshape(net.transpose(x, {0, 2, 1, 3}), {1, a.tokens, a.width});
}

TensorId attention(Builder& net, TensorId x, const Attention& a) {
  const TensorId queries = split_heads(net, linear(net, x, a.width), a);
  const TensorId keys = split_heads(net, linear(net, x, a.width), a);
  const TensorId values = split_heads(net, linear(net, x, a.width), a);
  const TensorId shares = net.softmax(net.batch_matmul(queries, keys, true));
  return linear(net, join_heads(net, net.batch_matmul(shares, values), a), a.width);
}

Graph transformer(const std::string& name, const Parameters& parameters) {
  const Attention a{parameters.integer("tokens"), parameters.integer("width"),
                    parameters.integer("heads")};
  if (a.width % a.heads != 0) {
    throw CompileError("zoo:" + name, fmt::format("the width, {}, is no multiple of the heads, {}",
                                                  a.width, a.heads));
  }
  Builder net(name, 2017);
  TensorId x = net.input({1, a.tokens, a.width});
  for (int64_t block = 0; block < parameters.integer("blocks"); ++block) {
    net.scope(fmt::format("block_{}", block));
    x = net.add(x, attention(net, x, a));
    const TensorId wide = linear(net, x, 4 * a.width, Activation::kRelu);
    x = net.add(x, linear(net, wide, a.width));
  }
  return net.finish({x});
}

}  // namespace

std::vector<Network> transformer_networks() {
  return {{"transformer",
           "encoder of a transformer, feed-forward 4 x as wide, no layer normalisation",
           {whole_number("tokens", 64, 1, 1024, "length of the sequence"),
            whole_number("width", 32, 1, 1024, "channels of a token"),
            whole_number("heads", 1, 1, 64, "of the attention; divides the width"),
            whole_number("blocks", 2, 1, 24, "attention and feed-forward")},
           transformer}};
}

}  // namespace thimble::zoo
