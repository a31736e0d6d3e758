// SPDX-License-Identifier: Apache-2.0
// Keyword spotting on 49 x 10 MFCC features, 12 classes: DS-CNN (Zhang et al. 2017, "Hello edge"),
// RES-8 and RES-15 (Tang and Lin 2018, "Deep residual learning for small-footprint keyword
// spotting") and MicroNets KWS (Banbury et al. 2021, "MicroNets"). MicroNets' channels reproduce
// the published MACs, parameters and peaks.
#include <fmt/format.h>

#include "zoo/blocks.h"
#include "zoo/networks.h"

namespace thimble::zoo {
namespace {

constexpr Activation kRelu = Activation::kRelu;
constexpr int64_t kFrames = 49;

TensorId features(Builder& net, const Parameters& p) {
  return net.input({1, kFrames, p.integer("bands"), 1});
}

std::vector<Parameter> common_parameters() {
  return {whole_number("bands", 10, 4, 64, "features of a frame"),
          whole_number("classes", 12, 2, 10000, "outputs")};
}

/// A convolution, then separable blocks to these channels, the first of them of this stride.
struct Separables {
  int64_t channels;
  Size2D stride;
  int64_t first_block_stride;
  std::vector<int64_t> blocks;
};

Graph separables(const std::string& name, const Parameters& p, const Separables& spec) {
  Builder net(name, 4910);
  TensorId x = net.conv(
      features(net, p),
      {.channels = spec.channels, .kernel = {10, 4}, .stride = spec.stride, .activation = kRelu});
  int number = 0;
  for (const int64_t channels : spec.blocks) {
    net.scope(fmt::format("block_{}", number));
    x = separable(net, x, channels, number++ == 0 ? spec.first_block_stride : 1, kRelu);
  }
  net.scope("");
  return net.finish({classifier(net, x, p.integer("classes"))});
}

Graph ds_cnn_s(const std::string& name, const Parameters& p) {
  return separables(name, p, {64, 2, 1, {64, 64, 64, 64}});
}
Graph ds_cnn_m(const std::string& name, const Parameters& p) {
  return separables(name, p, {172, {2, 1}, 2, {172, 172, 172, 172}});
}
Graph ds_cnn_l(const std::string& name, const Parameters& p) {
  return separables(name, p, {276, {2, 1}, 2, {276, 276, 276, 276, 276}});
}
Graph micronet_s(const std::string& name, const Parameters& p) {
  return separables(name, p, {84, 1, 2, {112, 84, 84, 84, 196}});
}
Graph micronet_m(const std::string& name, const Parameters& p) {
  return separables(name, p, {140, 1, 2, {140, 140, 140, 112, 196}});
}
Graph micronet_l(const std::string& name, const Parameters& p) {
  return separables(name, p, {276, 1, 2, {248, 276, 276, 248, 248, 248, 248}});
}
/// The network that MicroNets' large model was pruned from, as Pex has it ("MicroNets-L-Base").
Graph micronet_l_parent(const std::string& name, const Parameters& p) {
  return separables(name, p, {276, 1, 2, {276, 276, 276, 276, 276, 276, 276}});
}

/// pairs of 3x3 convolutions of 45 channels, each with a residual; dilated(k): of convolution k.
TensorId residual_pairs(Builder& net, TensorId x, int64_t convolutions, bool dilated) {
  ConvLayer layer{.channels = 45, .kernel = 3, .activation = kRelu};
  TensorId kept = x;
  for (int64_t k = 0; k < convolutions; ++k) {
    net.scope(fmt::format("conv_{}", k + 1));
    if (dilated) layer.dilation = int64_t{1} << (k / 3);
    x = net.conv(x, layer);
    if (k % 2 == 1) x = kept = net.add(x, kept);
  }
  net.scope("");
  return x;
}

Graph res8(const std::string& name, const Parameters& p) {
  Builder net(name, 845);
  TensorId x = net.conv(features(net, p), {.channels = 45, .kernel = 3, .activation = kRelu});
  x = net.average_pool(x, {.kernel = {4, 3}, .stride = {4, 3}});
  return net.finish({classifier(net, residual_pairs(net, x, 6, false), p.integer("classes"))});
}

Graph res15(const std::string& name, const Parameters& p) {
  Builder net(name, 1545);
  TensorId x = net.conv(features(net, p), {.channels = 45, .kernel = 3, .activation = kRelu});
  return net.finish({classifier(net, residual_pairs(net, x, 13, true), p.integer("classes"))});
}

}  // namespace

std::vector<Network> keyword_networks() {
  return {{"ds_cnn_s", "DS-CNN small", common_parameters(), ds_cnn_s},
          {"ds_cnn_m", "DS-CNN medium", common_parameters(), ds_cnn_m},
          {"ds_cnn_l", "DS-CNN large", common_parameters(), ds_cnn_l},
          {"micronet_kws_s", "MicroNets KWS small", common_parameters(), micronet_s},
          {"micronet_kws_m", "MicroNets KWS medium", common_parameters(), micronet_m},
          {"micronet_kws_l", "MicroNets KWS large", common_parameters(), micronet_l},
          {"micronet_kws_l_parent", "MicroNets KWS large before pruning", common_parameters(),
           micronet_l_parent},
          {"res8", "RES-8", common_parameters(), res8},
          {"res15", "RES-15, dilated", common_parameters(), res15}};
}

}  // namespace thimble::zoo
