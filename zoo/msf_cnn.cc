// SPDX-License-Identifier: Apache-2.0
// The networks whose memory against recomputation msf-CNN publishes (arXiv 2505.11483), as its
// public repository defines them: chains, without additions, pooling and classifiers.
#include <fmt/format.h>

#include <vector>

#include "zoo/builder.h"
#include "zoo/networks.h"

namespace thimble::zoo {
namespace {

/// Pointwise to `expansion` times the channels, depthwise, pointwise to `channels`; `repeats` of
/// these, of which the first alone has the stride.
struct MsfBlock {
  int64_t channels, expansion;
  int64_t stride = 1, kernel = 3, repeats = 1;
};

/// Pads by half of the kernel on all sides, where TensorFlow's SAME would pad less in front.
TensorId padded(Builder& net, TensorId x, int64_t kernel) {
  const int64_t half = kernel / 2;
  return net.pad(x, {0, half, half, 0}, {0, half, half, 0});
}

TensorId stem(Builder& net, int64_t side, int64_t channels) {
  return net.conv(padded(net, net.input({1, side, side, 3}), 3),
                  {.channels = channels, .kernel = 3, .stride = 2, .pads = Pads::kValid});
}

TensorId projection(Builder& net, TensorId x, int64_t channels) {
  return net.conv(x, {.channels = channels, .activation = Activation::kNone});
}

TensorId chain(Builder& net, TensorId x, const std::vector<MsfBlock>& blocks) {
  int number = 0;
  for (const MsfBlock& b : blocks) {
    for (int64_t k = 0; k < b.repeats; ++k) {
      net.scope(fmt::format("block_{}", number++));
      x = net.conv(x, {.channels = net.channels(x) * b.expansion});
      x = k == 0 && b.stride > 1
              ? net.depthwise(padded(net, x, b.kernel),
                              {.kernel = b.kernel, .stride = b.stride, .pads = Pads::kValid})
              : net.depthwise(x, {.kernel = b.kernel});
      x = projection(net, x, b.channels);
    }
  }
  net.scope("");
  return x;
}

/// The channels of MobileNetV2 times 0.35, cut to whole numbers before the expansion.
Graph mbv2(const std::string& name, const Parameters&) {
  Builder net(name, 2505);
  const TensorId x = chain(net, stem(net, 144, 11),
                           {{.channels = 5, .expansion = 1},
                            {.channels = 8, .expansion = 6, .stride = 2, .repeats = 2},
                            {.channels = 11, .expansion = 6, .stride = 2, .repeats = 3},
                            {.channels = 22, .expansion = 6, .stride = 2, .repeats = 4},
                            {.channels = 33, .expansion = 6, .repeats = 3},
                            {.channels = 56, .expansion = 6, .stride = 2, .repeats = 3},
                            {.channels = 112, .expansion = 6}});
  return net.finish({net.conv(x, {.channels = 448})});
}

Graph vww5(const std::string& name, const Parameters&) {
  Builder net(name, 2505);
  const TensorId x = projection(net, net.depthwise(stem(net, 80, 16), {}), 8);
  return net.finish({chain(net, x,
                           {{.channels = 16, .expansion = 6, .stride = 2},
                            {.channels = 16, .expansion = 3, .repeats = 2},
                            {.channels = 24, .expansion = 3, .stride = 2, .kernel = 7},
                            {.channels = 24, .expansion = 6},
                            {.channels = 24, .expansion = 5, .kernel = 5},
                            {.channels = 40, .expansion = 6, .stride = 2, .kernel = 7},
                            {.channels = 40, .expansion = 6, .kernel = 7},
                            {.channels = 48, .expansion = 6},
                            {.channels = 48, .expansion = 4},
                            {.channels = 96, .expansion = 5, .stride = 2, .kernel = 5},
                            {.channels = 96, .expansion = 5},
                            {.channels = 96, .expansion = 4},
                            {.channels = 160, .expansion = 3, .kernel = 7}})});
}

Graph mcunet_320k(const std::string& name, const Parameters&) {
  Builder net(name, 2505);
  const TensorId x = projection(net, net.depthwise(stem(net, 176, 16), {}), 8);
  return net.finish({chain(net, x,
                           {{.channels = 16, .expansion = 3, .stride = 2, .kernel = 7},
                            {.channels = 16, .expansion = 5},
                            {.channels = 16, .expansion = 5, .kernel = 7},
                            {.channels = 16, .expansion = 4, .kernel = 5},
                            {.channels = 24, .expansion = 5, .stride = 2, .kernel = 5},
                            {.channels = 24, .expansion = 5, .kernel = 5, .repeats = 2},
                            {.channels = 40, .expansion = 5, .stride = 2},
                            {.channels = 40, .expansion = 6, .kernel = 7},
                            {.channels = 40, .expansion = 4, .kernel = 5},
                            {.channels = 48, .expansion = 5, .kernel = 5},
                            {.channels = 48, .expansion = 5, .kernel = 7},
                            {.channels = 48, .expansion = 5},
                            {.channels = 96, .expansion = 6, .stride = 2},
                            {.channels = 96, .expansion = 5, .kernel = 7},
                            {.channels = 96, .expansion = 4},
                            {.channels = 160, .expansion = 5, .kernel = 7}})});
}

}  // namespace

std::vector<Network> msf_cnn_networks() {
  return {{"msf_cnn_mbv2", "MobileNetV2 0.35 at 144 pixels, as msf-CNN cuts it down", {}, mbv2},
          {"msf_cnn_vww5", "the chain of MCUNetV2-vww-5fps, as msf-CNN measures it", {}, vww5},
          {"msf_cnn_320k", "the chain of MCUNet-320KB, as msf-CNN measures it", {}, mcunet_320k}};
}

}  // namespace thimble::zoo
