// SPDX-License-Identifier: Apache-2.0
// AlexNet (Krizhevsky 2014, "One weird trick for parallelizing convolutional neural networks": one
// tower, no normalisation; and with the channels of Krizhevsky, Sutskever and Hinton 2012), VGG16
// (Simonyan and Zisserman 2015, configuration D), GoogLeNet (Szegedy et al. 2015, table 1, without
// the classifiers of its training) and SqueezeNet 1.1 (Iandola et al. 2016).
#include <fmt/format.h>

#include <array>

#include "zoo/builder.h"
#include "zoo/networks.h"

namespace thimble::zoo {
namespace {

constexpr Activation kRelu = Activation::kRelu;

/// Two layers of `hidden` units, then the classes.
TensorId dense_head(Builder& net, TensorId x, int64_t hidden, int64_t classes) {
  for (int k = 0; k < 2; ++k) {
    x = net.fully_connected(x, {.channels = hidden, .activation = kRelu});
  }
  return net.softmax(net.fully_connected(x, {.channels = classes}));
}

/// The image has 227 pixels where others pad 224 by 2 and leave a row out.
Graph five_convolutions(const std::string& name, const std::array<int64_t, 5>& channels,
                        int64_t classes) {
  Builder net(name, 2012);
  constexpr PoolLayer kPool{.kernel = 3, .stride = 2};
  TensorId x = net.conv(net.input({1, 227, 227, 3}), {.channels = channels[0],
                                                      .kernel = 11,
                                                      .stride = 4,
                                                      .activation = kRelu,
                                                      .pads = Pads::kValid});
  x = net.max_pool(x, kPool);
  x = net.max_pool(net.conv(x, {.channels = channels[1], .kernel = 5, .activation = kRelu}), kPool);
  for (size_t k = 2; k < channels.size(); ++k)
    x = net.conv(x, {.channels = channels[k], .kernel = 3, .activation = kRelu});
  return net.finish({dense_head(net, net.max_pool(x, kPool), 4096, classes)});
}

Graph alexnet(const std::string& name, const Parameters& p) {
  return five_convolutions(name, {64, 192, 384, 256, 256}, p.integer("classes"));
}

/// Both towers as one: nothing is grouped.
Graph alexnet_2012(const std::string& name, const Parameters& p) {
  return five_convolutions(name, {96, 256, 384, 384, 256}, p.integer("classes"));
}

/// Outputs of the four branches; reduced: of the 1x1 convolutions before the larger ones.
struct Inception {
  const char* scope;
  int64_t one, reduced_three, three, reduced_five, five, pooled;
};

TensorId inception(Builder& net, TensorId x, const Inception& block) {
  net.scope(block.scope);
  const auto conv = [&](TensorId in, int64_t channels, int64_t kernel) {
    return net.conv(in, {.channels = channels, .kernel = kernel, .activation = kRelu});
  };
  const TensorId one = conv(x, block.one, 1);
  const TensorId three = conv(conv(x, block.reduced_three, 1), block.three, 3);
  const TensorId five = conv(conv(x, block.reduced_five, 1), block.five, 5);
  const TensorId pooled = net.max_pool(x, {.kernel = 3, .stride = 1, .pads = Pads::kSame});
  return net.concat({one, three, five, conv(pooled, block.pooled, 1)});
}

Graph googlenet(const std::string& name, const Parameters& p) {
  Builder net(name, 2015);
  constexpr PoolLayer kPool{.kernel = 3, .stride = 2, .pads = Pads::kSame};
  const int64_t side = p.integer("resolution");
  TensorId x = net.conv(net.input({1, side, side, 3}),
                        {.channels = 64, .kernel = 7, .stride = 2, .activation = kRelu});
  x = net.conv(net.max_pool(x, kPool), {.channels = 64, .activation = kRelu});
  x = net.conv(x, {.channels = 192, .kernel = 3, .activation = kRelu});
  for (const Inception& block : {Inception{"3a", 64, 96, 128, 16, 32, 32},
                                 {"3b", 128, 128, 192, 32, 96, 64},
                                 {"4a", 192, 96, 208, 16, 48, 64},
                                 {"4b", 160, 112, 224, 24, 64, 64},
                                 {"4c", 128, 128, 256, 24, 64, 64},
                                 {"4d", 112, 144, 288, 32, 64, 64},
                                 {"4e", 256, 160, 320, 32, 128, 128},
                                 {"5a", 256, 160, 320, 32, 128, 128},
                                 {"5b", 384, 192, 384, 48, 128, 128}}) {
    if (std::string(block.scope).ends_with('a')) {
      net.scope("");
      x = net.max_pool(x, kPool);
    }
    x = inception(net, x, block);
  }
  net.scope("");
  const TensorId scores = net.fully_connected(net.mean(x), {.channels = p.integer("classes")});
  return net.finish({net.softmax(scores)});
}

Graph vgg16(const std::string& name, const Parameters& p) {
  struct Stage {
    int64_t channels, layers;
  };
  Builder net(name, 16);
  const int64_t side = p.integer("resolution");
  TensorId x = net.input({1, side, side, 3});
  for (const Stage& stage : {Stage{64, 2}, {128, 2}, {256, 3}, {512, 3}, {512, 3}}) {
    for (int64_t k = 0; k < stage.layers; ++k) {
      x = net.conv(x, {.channels = stage.channels, .kernel = 3, .activation = kRelu});
    }
    x = net.max_pool(x, {});
  }
  return net.finish({dense_head(net, x, 4096, p.integer("classes"))});
}

TensorId fire(Builder& net, TensorId x, int64_t squeezed, int64_t expanded) {
  x = net.conv(x, {.channels = squeezed, .activation = kRelu});
  return net.concat({net.conv(x, {.channels = expanded, .activation = kRelu}),
                     net.conv(x, {.channels = expanded, .kernel = 3, .activation = kRelu})});
}

Graph squeezenet(const std::string& name, const Parameters& p) {
  Builder net(name, 2016);
  constexpr PoolLayer kPool{.kernel = 3, .stride = 2};
  const int64_t side = p.integer("resolution");
  TensorId x = net.conv(
      net.input({1, side, side, 3}),
      {.channels = 64, .kernel = 3, .stride = 2, .activation = kRelu, .pads = Pads::kValid});
  int number = 2;
  for (const int64_t squeezed : {16, 16, 32, 32, 48, 48, 64, 64}) {
    if (number == 2 || number == 4 || number == 6) {
      net.scope("");
      x = net.max_pool(x, kPool);
    }
    net.scope(fmt::format("fire_{}", number++));
    x = fire(net, x, squeezed, 4 * squeezed);
  }
  net.scope("");
  x = net.conv(x, {.channels = p.integer("classes"), .activation = kRelu});
  return net.finish({net.softmax(net.mean(x))});
}

}  // namespace

std::vector<Network> classic_networks() {
  const Parameter classes = whole_number("classes", 1000, 2, 10000, "outputs");
  const Parameter side = whole_number("resolution", 224, 64, 1024, "height and width of the image");
  return {
      {"alexnet", "AlexNet, one tower", {classes}, alexnet},
      {"alexnet_2012", "AlexNet with the channels of 2012, not grouped", {classes}, alexnet_2012},
      {"googlenet", "GoogLeNet", {side, classes}, googlenet},
      {"squeezenet", "SqueezeNet 1.1", {side, classes}, squeezenet},
      {"vgg16", "VGG16", {side, classes}, vgg16}};
}

}  // namespace thimble::zoo
