// SPDX-License-Identifier: Apache-2.0
// AmoebaNet-A (Real, Aggarwal, Huang, Le 2019, "Regularized evolution for image classifier
// architecture search", figure 5), in the arrangement of NASNet's ImageNet networks. Assumed: the
// 1x7 and 7x1 convolutions work on a quarter of the channels, between pointwise ones.
#include "zoo/cells.h"
#include "zoo/networks.h"

namespace thimble::zoo {
namespace {

using enum CellOp;

constexpr Cell kNormal = {{{{{{kAveragePool3, 0}, {kMaxPool3, 0}}},
                            {{{kSeparable3, 1}, {kIdentity, 1}}},
                            {{{kIdentity, 0}, {kAveragePool3, 1}}},
                            {{{kSeparable3, 0}, {kSeparable5, 2}}},
                            {{{kAveragePool3, 5}, {kSeparable3, 0}}}}},
                          {1, 3, 4, 6, -1, -1, -1}};
constexpr Cell kReduction = {{{{{{kSeparable3, 1}, {kAveragePool3, 0}}},
                               {{{kMaxPool3, 0}, {kSeparable7, 2}}},
                               {{{kMaxPool3, 1}, {kMaxPool3, 0}}},
                               {{{kSeparable3, 4}, {kConv1x7And7x1, 0}}},
                               {{{kAveragePool3, 1}, {kSeparable7, 0}}}}},
                             {2, 3, 4, 5, 6, -1, -1}};

Graph build(const std::string& name, const Parameters& p) {
  Builder net(name, 469);
  const CellNetwork network{kNormal, kReduction, p.integer("cells"), p.integer("channels"),
                            p.integer("classes")};
  return imagenet_cells(net, network, p.integer("resolution"));
}

}  // namespace

std::vector<Network> amoebanet_networks() {
  return {{"amoebanet_a",
           "AmoebaNet-A for ImageNet, N=4, F=50",
           {whole_number("cells", 4, 1, 12, "normal cells in each of the three stacks (N)"),
            whole_number("channels", 50, 8, 256, "of a cell in the first stack (F)"),
            whole_number("classes", 1000, 2, 10000, "outputs"),
            whole_number("resolution", 224, 32, 1024, "height and width of the image")},
           build}};
}

}  // namespace thimble::zoo
