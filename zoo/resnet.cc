// SPDX-License-Identifier: Apache-2.0
// ResNet-18 (He et al. 2016, table 1) and the ResNet-8 of MLPerf Tiny's image classification.
#include <fmt/format.h>

#include "zoo/blocks.h"
#include "zoo/networks.h"

namespace thimble::zoo {
namespace {

TensorId basic_block(Builder& net, TensorId x, int64_t channels, int64_t stride) {
  const TensorId y = net.conv(
      net.conv(
          x,
          {.channels = channels, .kernel = 3, .stride = stride, .activation = Activation::kRelu}),
      {.channels = channels, .kernel = 3, .activation = Activation::kNone});
  if (stride != 1) {
    x = net.conv(x, {.channels = channels, .stride = stride, .activation = Activation::kNone});
  }
  return net.add(x, y, Activation::kRelu);
}

Graph resnet8(const std::string& name, const Parameters& p) {
  Builder net(name, 8);
  TensorId x = net.conv(net.input({1, 32, 32, 3}),
                        {.channels = 16, .kernel = 3, .activation = Activation::kRelu});
  for (const int64_t channels : {16, 32, 64}) {
    net.scope(fmt::format("stage_{}", channels));
    x = basic_block(net, x, channels, channels == 16 ? 1 : 2);
  }
  net.scope("");
  return net.finish({classifier(net, x, p.integer("classes"))});
}

Graph resnet18(const std::string& name, const Parameters& p) {
  Builder net(name, 18);
  const int64_t side = p.integer("resolution");
  TensorId x =
      net.conv(net.input({1, side, side, 3}),
               {.channels = 64, .kernel = 7, .stride = 2, .activation = Activation::kRelu});
  x = net.max_pool(x, {.kernel = 3, .stride = 2, .pads = Pads::kSame});
  for (const int64_t channels : {64, 128, 256, 512}) {
    net.scope(fmt::format("stage_{}", channels));
    x = basic_block(net, x, channels, channels == 64 ? 1 : 2);
    x = basic_block(net, x, channels, 1);
  }
  net.scope("");
  return net.finish({classifier(net, x, p.integer("classes"))});
}

}  // namespace

std::vector<Network> resnet_networks() {
  return {{"resnet18",
           "ResNet-18",
           {whole_number("resolution", 224, 32, 1024, "height and width of the image"),
            whole_number("classes", 1000, 2, 10000, "outputs")},
           resnet18},
          {"resnet8",
           "ResNet-8 of MLPerf Tiny, for CIFAR-10",
           {whole_number("classes", 10, 2, 10000, "outputs")},
           resnet8}};
}

}  // namespace thimble::zoo
