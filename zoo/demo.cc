// SPDX-License-Identifier: Apache-2.0
// A small network for examples: grey images of 48 x 48 pixels into 8 classes.
#include "zoo/blocks.h"
#include "zoo/networks.h"

namespace thimble::zoo {
namespace {

TensorId residual(Builder& net, TensorId x) {
  return inverted_residual(net, x, {.expanded = net.channels(x), .channels = net.channels(x)});
}

Graph demo(const std::string& name, const Parameters&) {
  Builder net(name, 48);
  TensorId x = net.conv(net.input({1, 48, 48, 1}), {.channels = 16, .kernel = 3, .stride = 2});
  x = separable(net, x, 32);
  x = separable(net, x, 48, 2);
  x = residual(net, x);
  x = separable(net, x, 96, 2);
  x = residual(net, x);
  x = separable(net, x, 128, 2);
  return net.finish({classifier(net, x, 8)});
}

}  // namespace

std::vector<Network> demo_networks() {
  return {{"demo", "image classifier, 48x48x1, separable convolutions with residuals", {}, demo}};
}

}  // namespace thimble::zoo
