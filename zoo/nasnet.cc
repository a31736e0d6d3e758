// SPDX-License-Identifier: Apache-2.0
// NASNet-A (Zoph, Vasudevan, Shlens, Le 2018, "Learning transferable architectures for scalable
// image recognition", figure 4), with the details of its published implementation: the second
// input of a cell is the output two cells back, brought to size by a pointwise convolution or a
// factorised reduction. Without the auxiliary head and drop path of training.
#include "zoo/cells.h"
#include "zoo/networks.h"

namespace thimble::zoo {
namespace {

using enum CellOp;

constexpr Cell kNasNetNormal = {{{{{{kSeparable5, 0}, {kSeparable3, 1}}},
                                  {{{kSeparable5, 1}, {kSeparable3, 1}}},
                                  {{{kAveragePool3, 0}, {kIdentity, 1}}},
                                  {{{kAveragePool3, 1}, {kAveragePool3, 1}}},
                                  {{{kSeparable3, 0}, {kIdentity, 0}}}}},
                                {1, 2, 3, 4, 5, 6, -1}};
constexpr Cell kNasNetReduction = {{{{{{kSeparable5, 0}, {kSeparable7, 1}}},
                                     {{{kMaxPool3, 0}, {kSeparable7, 1}}},
                                     {{{kAveragePool3, 0}, {kSeparable5, 1}}},
                                     {{{kIdentity, 3}, {kAveragePool3, 2}}},
                                     {{{kSeparable3, 2}, {kMaxPool3, 0}}}}},
                                   {3, 4, 5, 6, -1, -1, -1}};

CellNetwork nasnet(const Parameters& p, int64_t classes) {
  return {kNasNetNormal, kNasNetReduction, p.integer("cells"), p.integer("channels"), classes};
}

/// NASNet-A (N @ 6 * 4 * channels): 6 @ 768 has 32 channels.
Graph cifar10(const std::string& name, const Parameters& p) {
  Builder net(name, 768);
  const TensorId image = net.input({1, 32, 32, 3});
  const TensorId stem = net.conv(
      image, {.channels = 3 * p.integer("channels"), .kernel = 3, .activation = Activation::kNone});
  return cell_stacks(net, nasnet(p, 10), {stem, {}});
}

/// NASNet-A (4 @ 1056).
Graph mobile(const std::string& name, const Parameters& p) {
  Builder net(name, 1056);
  return imagenet_cells(net, nasnet(p, p.integer("classes")), p.integer("resolution"));
}

}  // namespace

std::vector<Network> nasnet_networks() {
  return {
      {"nasnet_a_cifar10",
       "NASNet-A for CIFAR-10",
       {whole_number("cells", 6, 1, 12, "normal cells in each of the three stacks (N)"),
        whole_number("channels", 32, 4, 256, "of a cell in the first stack")},
       cifar10},
      {"nasnet_a_mobile",
       "NASNet-A for ImageNet, mobile size",
       {whole_number("cells", 4, 1, 12, "normal cells in each of the three stacks (N)"),
        whole_number("channels", 44, 8, 256, "of a cell in the first stack"),
        whole_number("classes", 1000, 2, 10000, "outputs"),
        whole_number("resolution", 224, 32, 1024, "height and width of the image")},
       mobile},
  };
}

}  // namespace thimble::zoo
