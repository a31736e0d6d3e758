// SPDX-License-Identifier: Apache-2.0
// Example graphs of the papers' figures, small enough to draw.
#include "zoo/blocks.h"
#include "zoo/networks.h"

namespace thimble::zoo {
namespace {

constexpr Activation kNone = Activation::kNone;

/// Liberis and Lane 2019, "Neural networks on microcontrollers: saving memory at inference via
/// operator reordering", figure 1, with convolutions throughout:
///
///   t0 1568 > op1 > t1 3136 > op2 > t2 1568 > op3 > t3 512 > op5 > t5 256 > op7 > t7 512
///                        '--> op4 > t4 512 > op6 > t6 256 -----------------'
///
/// 5,216 bytes in the order 1 to 7, 4,960 in the order 1, 4, 6, 2, 3, 5, 7.
Graph reordering_figure1(const std::string& name, const Parameters&) {
  Builder net(name, 1);
  const TensorId t0 = net.input({1, 14, 14, 8});
  const TensorId t1 = net.conv(t0, {.channels = 16});
  const TensorId t2 = net.conv(t1, {.channels = 8});
  const TensorId t3 = net.conv(t2, {.channels = 32, .kernel = 3, .stride = 4});  // 4 x 4 x 32
  const TensorId t4 = net.conv(t1, {.channels = 32, .kernel = 3, .stride = 4});
  const TensorId t5 = net.conv(t3, {.channels = 16});
  const TensorId t6 = net.conv(t4, {.channels = 16});
  return net.finish({net.concat({t5, t6})});
}

/// Pex, figure 1: an inverted residual block of MobileNetV2; 52.7 kB as it stands.
Graph pex_figure1(const std::string& name, const Parameters&) {
  Builder net(name, 2);
  const TensorId x = net.input({1, 13, 13, 24});
  return net.finish({inverted_residual(net, x, {.expanded = 144, .channels = 24})});
}

/// Pex, figure 3 right: a graph with several loops. Assumed, since the figure names no layers: two
/// branches that expand and filter by channel, one of which ends in the sum that the other's
/// projection joins, and a second expansion behind it.
Graph pex_figure3(const std::string& name, const Parameters&) {
  Builder net(name, 3);
  const TensorId x = net.input({1, 12, 12, 16});
  const TensorId wide = net.conv(x, {.channels = 96});
  const TensorId left = net.depthwise(wide, {});
  const TensorId right = net.depthwise(wide, {.kernel = 5});
  const TensorId sum = net.add(net.conv(left, {.channels = 16, .activation = kNone}),
                               net.conv(right, {.channels = 16, .activation = kNone}));
  return net.finish({inverted_residual(net, net.add(sum, x), {.expanded = 64, .channels = 16})});
}

/// MOTES, figure 2: 8 rows of 16, through two linear layers with 64 between them, and a residual;
/// 768 bytes by whole operators, 384 in parts. The rows are pixels, the layers 1x1 convolutions.
Graph motes_figure2(const std::string& name, const Parameters&) {
  Builder net(name, 4);
  const TensorId v0 = net.input({1, 8, 1, 16});
  const TensorId v1 = net.conv(v0, {.channels = 64, .activation = kNone});
  const TensorId v2 = net.relu(v1);
  const TensorId v3 = net.conv(v2, {.channels = 16, .activation = kNone});
  return net.finish({net.add(v0, v3)});
}

/// MOTES, figure 5: an inverted bottleneck, whose axis connecting graph has four parts: height,
/// width, the channels of the input and those of the depthwise convolution.
Graph motes_figure5(const std::string& name, const Parameters&) {
  Builder net(name, 5);
  const TensorId x = net.input({1, 8, 8, 16});
  return net.finish({inverted_residual(net, x, {.expanded = 96, .channels = 16})});
}

/// MOTES, table 3: one convolution, of which the paper says no more than the shape.
Graph motes_table3(const std::string& name, const Parameters&) {
  Builder net(name, 6);
  const TensorId x = net.input({1, 32, 32, 8});
  return net.finish({net.conv(x, {.channels = 8, .kernel = 3, .activation = kNone})});
}

}  // namespace

std::vector<Network> figure_networks() {
  return {{"motes_figure2", "the example of MOTES, figure 2", {}, motes_figure2},
          {"motes_figure5", "the example of MOTES, figure 5", {}, motes_figure5},
          {"motes_table3", "the convolution of MOTES, table 3", {}, motes_table3},
          {"pex_figure1", "the example of Pex, figure 1", {}, pex_figure1},
          {"pex_figure3", "an example like Pex, figure 3", {}, pex_figure3},
          {"reordering_figure1",
           "the example of the operator reordering paper (Liberis and Lane, 2019)",
           {},
           reordering_figure1}};
}

}  // namespace thimble::zoo
