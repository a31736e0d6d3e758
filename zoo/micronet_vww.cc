// SPDX-License-Identifier: Apache-2.0
// Stand-ins for MicroNets VWW-1 and VWW-2 (Banbury et al. 2021). Their definitions are published as
// .tflite files only. Assumed: a MobileNetV2 of inverted residuals on grey images of 128 and 50
// pixels, with channels chosen to come near the published MACs, parameters and peaks.
#include <fmt/format.h>

#include <vector>

#include "zoo/blocks.h"
#include "zoo/networks.h"

namespace thimble::zoo {
namespace {

struct VwwBlock {
  int64_t expanded, channels, stride;
};

struct Spec {
  int64_t side, first;
  std::vector<VwwBlock> blocks;
  int64_t last;
};

Graph build(const std::string& name, const Spec& spec) {
  Builder net(name, 2021);
  TensorId x = net.conv(net.input({1, spec.side, spec.side, 1}),
                        {.channels = spec.first, .kernel = 3, .stride = 2});
  int number = 0;
  for (const VwwBlock& b : spec.blocks) {
    net.scope(fmt::format("block_{}", number++));
    x = inverted_residual(net, x,
                          {.expanded = b.expanded, .channels = b.channels, .stride = b.stride});
  }
  net.scope("");
  x = net.conv(x, {.channels = spec.last});
  return net.finish({classifier(net, x, 2)});
}

Graph vww1(const std::string& name, const Parameters&) {
  return build(name, {128,
                      16,
                      {{16, 16, 1},
                       {32, 24, 2},
                       {80, 24, 1},
                       {80, 24, 1},
                       {88, 48, 2},
                       {288, 48, 1},
                       {288, 48, 1},
                       {288, 64, 1},
                       {320, 64, 1},
                       {320, 96, 2},
                       {384, 96, 1},
                       {384, 160, 2},
                       {480, 160, 1}},
                      320});
}

Graph vww2(const std::string& name, const Parameters&) {
  return build(name, {50,
                      16,
                      {{16, 8, 1},
                       {35, 16, 2},
                       {72, 16, 1},
                       {72, 24, 2},
                       {144, 24, 1},
                       {120, 48, 2},
                       {216, 48, 1},
                       {216, 72, 1}},
                      320});
}

}  // namespace

std::vector<Network> micronet_vww_networks() {
  return {{"micronet_vww_1", "the size of MicroNets VWW-1 (definition assumed)", {}, vww1},
          {"micronet_vww_2", "the size of MicroNets VWW-2 (definition assumed)", {}, vww2}};
}

}  // namespace thimble::zoo
