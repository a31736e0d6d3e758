// SPDX-License-Identifier: Apache-2.0
#include "zoo/blocks.h"

#include <algorithm>

namespace thimble::zoo {

TensorId inverted_residual(Builder& net, TensorId x, const InvertedResidual& b) {
  TensorId y = x;
  if (b.expanded != net.channels(x)) {
    y = net.conv(y, {.channels = b.expanded, .activation = b.activation});
  }
  y = net.depthwise(y, {.kernel = b.kernel, .stride = b.stride, .activation = b.activation});
  if (b.squeezed > 0) y = squeeze_excite(net, y, b.squeezed);
  y = net.conv(y, {.channels = b.channels,
                   .kernel = b.projection.kernel,
                   .stride = b.projection.stride,
                   .activation = Activation::kNone});
  return b.residual && net.shape(x) == net.shape(y) ? net.add(x, y) : y;
}

TensorId squeeze_excite(Builder& net, TensorId x, int64_t squeezed) {
  TensorId gate = net.mean(x, /*keep=*/true);
  gate = net.conv(gate, {.channels = squeezed, .activation = Activation::kRelu});
  gate = net.conv(gate, {.channels = net.channels(x), .activation = Activation::kNone});
  return net.mul(x, net.sigmoid(gate));
}

TensorId separable(Builder& net, TensorId x, int64_t channels, int64_t stride,
                   Activation activation) {
  const TensorId filtered = net.depthwise(x, {.stride = stride, .activation = activation});
  return net.conv(filtered, {.channels = channels, .activation = activation});
}

TensorId classifier(Builder& net, TensorId x, int64_t classes) {
  return net.softmax(net.fully_connected(net.mean(x), {.channels = classes}));
}

int64_t multiple_of_8(double value) {
  const int64_t rounded = std::max<int64_t>(8, static_cast<int64_t>(value + 4) / 8 * 8);
  return static_cast<double>(rounded) < 0.9 * value ? rounded + 8 : rounded;
}

}  // namespace thimble::zoo
