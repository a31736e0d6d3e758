// SPDX-License-Identifier: Apache-2.0
// Encoder blocks of transformers: attention with a residual, feed-forward with a residual.
#include <fmt/format.h>

#include "zoo/attention.h"
#include "zoo/networks.h"

namespace thimble::zoo {
namespace {

Graph transformer(const std::string& name, const Parameters& parameters) {
  const Attention a{parameters.integer("tokens"), parameters.integer("width"),
                    parameters.integer("heads")};
  check_heads(name, a);
  Builder net(name, 2017);
  TensorId x = net.input({1, a.tokens, a.width});
  for (int64_t block = 0; block < parameters.integer("blocks"); ++block) {
    net.scope(fmt::format("block_{}", block));
    x = net.add(x, self_attention(net, x, a));
    const TensorId wide = linear(net, x, 4 * a.width, Activation::kRelu);
    x = net.add(x, linear(net, wide, a.width));
  }
  return net.finish({x});
}

/// Devlin et al. 2018 (google-research/bert): layer normalisation behind each residual, GELU by
/// tanh. The input is the embedding of the tokens, normalised already; there is no mask.
Graph bert_tiny(const std::string& name, const Parameters& parameters) {
  constexpr float kEpsilon = 1e-12F;
  const Attention a{parameters.integer("tokens"), parameters.integer("hidden"),
                    parameters.integer("heads"), /*scaled=*/true};
  check_heads(name, a);
  Builder net(name, 2018);
  TensorId x = net.input({1, a.tokens, a.width});
  for (int64_t layer = 0; layer < parameters.integer("layers"); ++layer) {
    net.scope(fmt::format("layer_{}", layer));
    x = layer_norm(net, net.add(self_attention(net, x, a), x), kEpsilon);
    const TensorId wide = net.gelu(linear(net, x, 4 * a.width), /*approximate=*/true);
    x = layer_norm(net, net.add(linear(net, wide, a.width), x), kEpsilon);
  }
  return net.finish({x});
}

}  // namespace

std::vector<Network> transformer_networks() {
  return {{"bert_tiny",
           "BERT-Tiny without its embedding: layer normalisation and GELU as converters write them",
           {whole_number("tokens", 512, 1, 1024, "length of the sequence"),
            whole_number("layers", 2, 1, 24, "attention and feed-forward"),
            whole_number("hidden", 128, 1, 1024, "channels of a token; feed-forward 4 x as wide"),
            whole_number("heads", 2, 1, 64, "of the attention; divides the channels")},
           bert_tiny},
          {"transformer",
           "encoder of a transformer, feed-forward 4 x as wide, no layer normalisation",
           {whole_number("tokens", 64, 1, 1024, "length of the sequence"),
            whole_number("width", 32, 1, 1024, "channels of a token"),
            whole_number("heads", 1, 1, 64, "of the attention; divides the width"),
            whole_number("blocks", 2, 1, 24, "attention and feed-forward")},
           transformer}};
}

}  // namespace thimble::zoo
