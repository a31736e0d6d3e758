// SPDX-License-Identifier: Apache-2.0
// FPNASNet (Cui et al. 2019, "Fast and practical neural architecture search"), as the authors'
// public definition has it: inverted bottlenecks of which some let half of the channels pass, as
// ShuffleNetV2 does, and some have a shortcut.
#include <fmt/format.h>

#include "zoo/builder.h"
#include "zoo/networks.h"

namespace thimble::zoo {
namespace {

constexpr Activation kFpnasRelu = Activation::kRelu;
constexpr Activation kLinear = Activation::kNone;

struct FpnasBlock {
  int64_t channels, expansion, stride;
  bool shortcut, split;
};

constexpr FpnasBlock kFpnasBlocks[] = {
    {24, 4, 2, true, true},    {24, 6, 1, true, false},  {40, 8, 2, false, false},
    {40, 6, 1, true, true},    {40, 8, 1, true, false},  {80, 6, 2, true, false},
    {80, 8, 1, false, true},   {80, 8, 1, true, false},  {80, 8, 1, true, true},
    {112, 6, 1, false, true},  {112, 6, 1, true, false}, {112, 6, 1, false, false},
    {192, 4, 2, true, true},   {192, 8, 1, false, true}, {192, 4, 1, false, false},
    {320, 6, 1, false, false},
};

/// Expansion, depthwise, projection; plus x, through a convolution where the shapes differ.
TensorId bottleneck(Builder& net, TensorId x, const FpnasBlock& b, int64_t channels) {
  TensorId y = net.conv(x, {.channels = net.channels(x) * b.expansion, .activation = kFpnasRelu});
  y = net.depthwise(y, {.stride = b.stride, .activation = kFpnasRelu});
  y = net.conv(y, {.channels = channels, .activation = kLinear});
  if (!b.shortcut) return y;
  const bool same = b.stride == 1 && net.channels(x) == channels;
  return net.add(
      y, same ? x : net.conv(x, {.channels = channels, .stride = b.stride, .activation = kLinear}));
}

/// Channels of two halves in turn: 0, c / 2, 1, c / 2 + 1, ...
TensorId shuffled(Builder& net, TensorId x) {
  const Shape s = net.shape(x);
  const TensorId halves = net.reshape(x, {s[0], s[1], s[2], 2, s[3] / 2});
  return net.reshape(net.transpose(halves, {0, 1, 2, 4, 3}), s);
}

TensorId fpnas_block(Builder& net, TensorId x, const FpnasBlock& b) {
  if (!b.split) return bottleneck(net, x, b, b.channels);
  const Shape s = net.shape(x);
  const int64_t half = s[3] / 2;
  TensorId passed = net.slice(x, {0, 0, 0, 0}, {s[0], s[1], s[2], half});
  const TensorId taken = net.slice(x, {0, 0, 0, half}, {s[0], s[1], s[2], s[3] - half});
  if (b.stride > 1) {
    passed = net.depthwise(passed, {.stride = b.stride, .activation = kFpnasRelu});
    passed = net.conv(passed, {.channels = half, .activation = kLinear});
  }
  const TensorId made = bottleneck(net, taken, b, b.channels - half);
  return shuffled(net, net.concat({passed, made}));
}

Graph fpnas(const std::string& name, const Parameters& parameters) {
  const int64_t side = parameters.integer("resolution");
  Builder net(name, 2019);
  TensorId x = net.conv(net.input({1, side, side, 3}),
                        {.channels = 34, .kernel = 3, .stride = 2, .activation = kFpnasRelu});
  x = net.depthwise(x, {.activation = kFpnasRelu});
  x = net.conv(x, {.channels = 24, .activation = kLinear});
  int number = 0;
  for (const FpnasBlock& block : kFpnasBlocks) {
    net.scope(fmt::format("block_{}", number++));
    x = fpnas_block(net, x, block);
  }
  net.scope("");
  x = net.conv(x, {.channels = 1280, .activation = kFpnasRelu});
  x = net.mean(x);
  return net.finish(
      {net.softmax(net.fully_connected(x, {.channels = parameters.integer("classes")}))});
}

}  // namespace

std::vector<Network> fpnas_networks() {
  return {{"fpnas",
           "FPNASNet for ImageNet: slices, concatenations and channel shuffles",
           {whole_number("resolution", 224, 32, 1024, "height and width of the image"),
            whole_number("classes", 1000, 2, 10000, "of the classifier")},
           fpnas}};
}

}  // namespace thimble::zoo
