// SPDX-License-Identifier: Apache-2.0
// EfficientNet-B0 (Tan and Le 2019, table 1). The format has no fused swish; the activation is
// fused and therefore relu6 unless asked otherwise, as in EfficientNet-Lite, and as Pex's peak of
// 768,000 bytes at 160 x 160 implies. The squeeze-and-excitation blocks stay.
#include <fmt/format.h>

#include <algorithm>

#include "zoo/blocks.h"
#include "zoo/networks.h"

namespace thimble::zoo {
namespace {

struct Stage {
  int64_t expansion, kernel, channels, repeats, stride;
};
constexpr Stage kStages[] = {{1, 3, 16, 1, 1}, {6, 3, 24, 2, 2},  {6, 5, 40, 2, 2},
                             {6, 3, 80, 3, 2}, {6, 5, 112, 3, 1}, {6, 5, 192, 4, 2},
                             {6, 3, 320, 1, 1}};

Graph efficientnet_b0(const std::string& name, const Parameters& p) {
  Builder net(name, 1905);
  const int64_t side = p.integer("resolution");
  TensorId x = net.conv(net.input({1, side, side, 3}), {.channels = 32, .kernel = 3, .stride = 2});
  int number = 0;
  for (const Stage& stage : kStages) {
    for (int64_t k = 0; k < stage.repeats; ++k) {
      net.scope(fmt::format("block_{}", number++));
      const int64_t from = net.channels(x);
      x = inverted_residual(net, x,
                            {.expanded = from * stage.expansion,
                             .channels = stage.channels,
                             .kernel = stage.kernel,
                             .stride = k == 0 ? stage.stride : 1,
                             .squeezed = std::max<int64_t>(1, from / 4)});
    }
  }
  net.scope("");
  x = net.conv(x, {.channels = 1280});
  return net.finish({classifier(net, x, p.integer("classes"))});
}

}  // namespace

std::vector<Network> efficientnet_networks() {
  return {{"efficientnet_b0",
           "EfficientNet-B0, with relu6 in place of swish",
           {whole_number("resolution", 224, 32, 1024, "height and width of the image"),
            whole_number("classes", 1000, 2, 10000, "outputs")},
           efficientnet_b0}};
}

}  // namespace thimble::zoo
