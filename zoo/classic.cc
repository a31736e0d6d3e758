// SPDX-License-Identifier: Apache-2.0
// AlexNet (Krizhevsky 2014, "One weird trick for parallelizing convolutional neural networks": one
// tower, no normalisation), VGG16 (Simonyan and Zisserman 2015, configuration D) and SqueezeNet 1.1
// (Iandola et al. 2016).
#include <fmt/format.h>

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
Graph alexnet(const std::string& name, const Parameters& p) {
  Builder net(name, 2012);
  constexpr PoolLayer kPool{.kernel = 3, .stride = 2};
  TensorId x = net.conv(
      net.input({1, 227, 227, 3}),
      {.channels = 64, .kernel = 11, .stride = 4, .activation = kRelu, .pads = Pads::kValid});
  x = net.max_pool(x, kPool);
  x = net.max_pool(net.conv(x, {.channels = 192, .kernel = 5, .activation = kRelu}), kPool);
  for (const int64_t channels : {384, 256, 256}) {
    x = net.conv(x, {.channels = channels, .kernel = 3, .activation = kRelu});
  }
  return net.finish({dense_head(net, net.max_pool(x, kPool), 4096, p.integer("classes"))});
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
  return {{"alexnet", "AlexNet, one tower", {classes}, alexnet},
          {"squeezenet", "SqueezeNet 1.1", {side, classes}, squeezenet},
          {"vgg16", "VGG16", {side, classes}, vgg16}};
}

}  // namespace thimble::zoo
