// SPDX-License-Identifier: Apache-2.0
// DARTS, the second-order cells (Liu, Simonyan, Yang 2019, "DARTS: differentiable architecture
// search", figures 4 and 5: "DARTS_V2" of the published implementation), without the auxiliary
// head of training. Padding is TensorFlow's SAME.
#include <fmt/format.h>

#include <array>
#include <vector>

#include "zoo/builder.h"
#include "zoo/networks.h"

namespace thimble::zoo {
namespace {

enum class Op { kSeparable3, kDilated3, kMaxPool3, kSkip };

/// Node k (2 to 5) is the sum of terms 2(k-2) and 2(k-2)+1; nodes 0 and 1 are the cell's inputs.
struct Term {
  Op op;
  size_t node;
};
using Cell = std::array<Term, 8>;

constexpr Cell kNormal = {{{Op::kSeparable3, 0},
                           {Op::kSeparable3, 1},
                           {Op::kSeparable3, 0},
                           {Op::kSeparable3, 1},
                           {Op::kSeparable3, 1},
                           {Op::kSkip, 0},
                           {Op::kSkip, 0},
                           {Op::kDilated3, 2}}};
constexpr Cell kReduction = {{{Op::kMaxPool3, 0},
                              {Op::kMaxPool3, 1},
                              {Op::kSkip, 2},
                              {Op::kMaxPool3, 1},
                              {Op::kMaxPool3, 0},
                              {Op::kSkip, 2},
                              {Op::kSkip, 2},
                              {Op::kMaxPool3, 1}}};

TensorId relu_conv(Builder& net, TensorId x, int64_t channels) {
  return net.conv(net.relu(x), {.channels = channels, .activation = Activation::kNone});
}

/// Two pointwise convolutions of stride 2, the second one pixel further down and right.
TensorId reduction(Builder& net, TensorId x, int64_t channels) {
  const TensorId clamped = net.relu(x);
  const Shape& shape = net.shape(clamped);
  const Shape rest{1, shape[1] - 1, shape[2] - 1, shape[3]};
  const ConvLayer half{.channels = channels / 2, .stride = 2, .activation = Activation::kNone};
  const TensorId even = net.conv(clamped, half);
  return net.concat({even, net.conv(net.slice(clamped, {0, 1, 1, 0}, rest), half)});
}

TensorId separable(Builder& net, TensorId x, const DepthwiseLayer& layer, int64_t channels) {
  const TensorId filtered = net.depthwise(net.relu(x), layer);
  return net.conv(filtered, {.channels = channels, .activation = Activation::kNone});
}

TensorId apply(Builder& net, Op op, TensorId x, int64_t channels, int64_t stride) {
  DepthwiseLayer layer{.kernel = 3, .stride = stride, .activation = Activation::kNone};
  switch (op) {
    case Op::kSeparable3:
      x = separable(net, x, layer, channels);
      layer.stride = 1;
      return separable(net, x, layer, channels);
    case Op::kDilated3:
      layer.dilation = 2;
      return separable(net, x, layer, channels);
    case Op::kMaxPool3:
      return net.max_pool(x, {.kernel = 3, .stride = stride, .pads = Pads::kSame});
    case Op::kSkip:
      break;
  }
  return stride == 1 ? x : reduction(net, x, channels);
}

struct Inputs {
  TensorId before, last;
};

TensorId cell(Builder& net, const Cell& spec, const Inputs& inputs, int64_t channels,
              int64_t stride) {
  const bool smaller = net.shape(inputs.before)[1] != net.shape(inputs.last)[1];
  std::vector<TensorId> nodes = {smaller ? reduction(net, inputs.before, channels)
                                         : relu_conv(net, inputs.before, channels)};
  nodes.push_back(relu_conv(net, inputs.last, channels));
  for (size_t k = 0; k < spec.size(); k += 2) {
    TensorId made[2];
    for (size_t side = 0; side < 2; ++side) {
      const Term& term = spec[k + side];
      made[side] = apply(net, term.op, nodes[term.node], channels, term.node < 2 ? stride : 1);
    }
    nodes.push_back(net.add(made[0], made[1]));
  }
  return net.concat({nodes[2], nodes[3], nodes[4], nodes[5]});
}

/// A third and two thirds of the way the cells are reductions, with twice the channels from there.
Graph cells(Builder& net, Inputs state, int64_t count, int64_t channels, int64_t classes) {
  for (int64_t k = 0; k < count; ++k) {
    net.scope(fmt::format("cell_{}", k));
    const bool reduces = k == count / 3 || k == 2 * count / 3;
    if (reduces) channels *= 2;
    state = {state.last,
             cell(net, reduces ? kReduction : kNormal, state, channels, reduces ? 2 : 1)};
  }
  net.scope("");
  return net.finish(
      {net.softmax(net.fully_connected(net.mean(state.last), {.channels = classes}))});
}

Graph cifar10(const std::string& name, const Parameters& p) {
  Builder net(name, 36);
  const int64_t channels = p.integer("channels");
  const TensorId stem =
      net.conv(net.input({1, 32, 32, 3}),
               {.channels = 3 * channels, .kernel = 3, .activation = Activation::kNone});
  return cells(net, {stem, stem}, p.integer("cells"), channels, 10);
}

Graph imagenet(const std::string& name, const Parameters& p) {
  Builder net(name, 48);
  const int64_t channels = p.integer("channels");
  const int64_t side = p.integer("resolution");
  ConvLayer layer{
      .channels = channels / 2, .kernel = 3, .stride = 2, .activation = Activation::kRelu};
  TensorId x = net.conv(net.input({1, side, side, 3}), layer);
  layer.channels = channels;
  layer.activation = Activation::kNone;
  const TensorId before = net.conv(x, layer);
  x = net.conv(net.relu(before), layer);
  return cells(net, {before, x}, p.integer("cells"), channels, p.integer("classes"));
}

}  // namespace

std::vector<Network> darts_networks() {
  return {
      {"darts_cifar10",
       "DARTS (second order) for CIFAR-10",
       {whole_number("cells", 20, 3, 40, "cells, two of them reductions"),
        whole_number("channels", 36, 4, 256, "of the first cells")},
       cifar10},
      {"darts_imagenet",
       "DARTS (second order) for ImageNet, mobile setting",
       {whole_number("cells", 14, 3, 40, "cells, two of them reductions"),
        whole_number("channels", 48, 4, 256, "of the first cells"),
        whole_number("classes", 1000, 2, 10000, "outputs"),
        whole_number("resolution", 224, 64, 1024, "height and width of the image")},
       imagenet},
  };
}

}  // namespace thimble::zoo
