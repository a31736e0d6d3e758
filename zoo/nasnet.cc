// SPDX-License-Identifier: Apache-2.0
// NASNet-A (Zoph, Vasudevan, Shlens, Le 2018, "Learning transferable architectures for scalable
// image recognition", figure 4), with the details of its published implementation: the second
// input of a cell is the output two cells back, brought to size by a pointwise convolution or a
// factorised reduction. Without the auxiliary head and drop path of training.
#include <fmt/format.h>

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

/// Three stacks of normal cells with a reduction cell between them, then the classifier.
Graph stacks(Builder& net, CellInputs state, int64_t cells, int64_t channels, int64_t classes) {
  int number = 0;
  const auto put = [&](const Cell& spec, int64_t stride) {
    net.scope(fmt::format("cell_{}", number++));
    state = {cell(net, spec, state, channels, stride), state.current};
  };
  for (int stack = 0; stack < 3; ++stack) {
    if (stack > 0) {
      channels *= 2;
      put(kNasNetReduction, 2);
    }
    for (int64_t k = 0; k < cells; ++k) put(kNasNetNormal, 1);
  }
  net.scope("");
  const TensorId pooled = net.mean(net.relu(state.current));
  return net.finish({net.softmax(net.fully_connected(pooled, {.channels = classes}))});
}

/// NASNet-A (N @ 6 * 4 * channels): 6 @ 768 has 32 channels.
Graph cifar10(const std::string& name, const Parameters& p) {
  Builder net(name, 768);
  const int64_t channels = p.integer("channels");
  const TensorId image = net.input({1, 32, 32, 3});
  const TensorId stem =
      net.conv(image, {.channels = 3 * channels, .kernel = 3, .activation = Activation::kNone});
  return stacks(net, {stem, {}}, p.integer("cells"), channels, 10);
}

/// NASNet-A (4 @ 1056): two reduction cells of a quarter and half of the channels form the stem.
Graph mobile(const std::string& name, const Parameters& p) {
  Builder net(name, 1056);
  const int64_t channels = p.integer("channels");
  const int64_t side = p.integer("resolution");
  const TensorId image = net.input({1, side, side, 3});
  const TensorId stem = net.conv(image, {.channels = 32,
                                         .kernel = 3,
                                         .stride = 2,
                                         .activation = Activation::kNone,
                                         .pads = Pads::kValid});
  net.scope("stem_0");
  const TensorId first = cell(net, kNasNetReduction, {stem, {}}, channels / 4, 2);
  net.scope("stem_1");
  const TensorId second = cell(net, kNasNetReduction, {first, stem}, channels / 2, 2);
  return stacks(net, {second, first}, p.integer("cells"), channels, p.integer("classes"));
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
