// SPDX-License-Identifier: Apache-2.0
// The network of scripts/demo: grey images of 48 x 48 pixels into 8 classes.
#include "zoo/builder.h"
#include "zoo/networks.h"

namespace thimble::zoo {
namespace {

TensorId separable(Builder& net, TensorId x, int64_t channels, int64_t stride) {
  const TensorId filtered = net.depthwise(x, {.kernel = 3, .stride = stride});
  return net.conv(filtered, {.channels = channels});
}

TensorId residual(Builder& net, TensorId x) {
  const TensorId filtered = net.depthwise(x, {.kernel = 3});
  const TensorId mixed = net.conv(
      filtered, {.channels = net.shape(x)[3], .kernel = 1, .activation = Activation::kNone});
  return net.add(x, mixed);
}

}  // namespace

Graph demo() {
  Builder net("demo", 48);
  TensorId x = net.conv(net.input({1, 48, 48, 1}), {.channels = 16, .kernel = 3, .stride = 2});
  x = separable(net, x, 32, 1);
  x = separable(net, x, 48, 2);
  x = residual(net, x);
  x = separable(net, x, 96, 2);
  x = residual(net, x);
  x = separable(net, x, 128, 2);
  x = net.fully_connected(net.mean(x), 8);
  return net.finish({net.softmax(x)});
}

}  // namespace thimble::zoo
