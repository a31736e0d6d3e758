// SPDX-License-Identifier: Apache-2.0
#include "zoo/cells.h"

#include <fmt/format.h>

#include <vector>

#include "thimble/model/error.h"

namespace thimble::zoo {
namespace {

TensorId relu_conv(Builder& net, TensorId x, const ConvLayer& layer) {
  return net.conv(net.relu(x), layer);
}

TensorId separable_twice(Builder& net, TensorId x, int64_t kernel, int64_t channels,
                         int64_t stride) {
  for (const int64_t s : {stride, int64_t{1}}) {
    x = net.depthwise(net.relu(x),
                      {.kernel = kernel, .stride = s, .activation = Activation::kNone});
    x = net.conv(x, {.channels = channels, .activation = Activation::kNone});
  }
  return x;
}

TensorId conv_1x7_and_7x1(Builder& net, TensorId x, int64_t channels, int64_t stride) {
  const auto layer = [&](int64_t to, Size2D kernel, Size2D s) {
    return ConvLayer{
        .channels = to, .kernel = kernel, .stride = s, .activation = Activation::kNone};
  };
  x = relu_conv(net, x, layer(channels / 4, 1, 1));
  x = relu_conv(net, x, layer(channels / 4, {1, 7}, {1, stride}));
  x = relu_conv(net, x, layer(channels / 4, {7, 1}, {stride, 1}));
  return relu_conv(net, x, layer(channels, 1, 1));
}

TensorId with_channels(Builder& net, TensorId x, int64_t channels) {
  if (net.channels(x) == channels) return x;
  return net.conv(x, {.channels = channels, .activation = Activation::kNone});
}

TensorId apply(Builder& net, CellOp op, TensorId x, int64_t channels, int64_t stride) {
  switch (op) {
    case CellOp::kIdentity:
      if (stride == 1 && net.channels(x) == channels) return x;
      return relu_conv(net, x,
                       {.channels = channels, .stride = stride, .activation = Activation::kNone});
    case CellOp::kAveragePool3:
      return with_channels(
          net, net.average_pool(x, {.kernel = 3, .stride = stride, .pads = Pads::kSame}), channels);
    case CellOp::kMaxPool3:
      return with_channels(
          net, net.max_pool(x, {.kernel = 3, .stride = stride, .pads = Pads::kSame}), channels);
    case CellOp::kSeparable3:
      return separable_twice(net, x, 3, channels, stride);
    case CellOp::kSeparable5:
      return separable_twice(net, x, 5, channels, stride);
    case CellOp::kSeparable7:
      return separable_twice(net, x, 7, channels, stride);
    case CellOp::kConv1x7And7x1:
      return conv_1x7_and_7x1(net, x, channels, stride);
  }
  throw InternalError("an operation of a cell that does not exist");
}

/// The output two cells back, at the height and width of the previous one.
TensorId adapted(Builder& net, TensorId previous, TensorId current, int64_t channels) {
  if (!previous.valid()) return current;
  if (net.shape(previous)[1] != net.shape(current)[1]) {
    return factorized_reduction(net, net.relu(previous), channels);
  }
  if (net.channels(previous) == channels) return previous;
  return relu_conv(net, previous, {.channels = channels, .activation = Activation::kNone});
}

}  // namespace

TensorId factorized_reduction(Builder& net, TensorId x, int64_t channels) {
  const Shape& shape = net.shape(x);
  const int64_t h = shape[1];
  const int64_t w = shape[2];
  const int64_t c = shape[3];
  const auto path = [&](TensorId from, int64_t to) {
    return net.conv(net.average_pool(from, {.kernel = 1, .stride = 2}),
                    {.channels = to, .activation = Activation::kNone});
  };
  const TensorId even = path(x, channels / 2);
  const TensorId padded = net.pad(x, {0, 0, 0, 0}, {0, 1, 1, 0});
  const TensorId odd = path(net.slice(padded, {0, 1, 1, 0}, {1, h, w, c}), channels - channels / 2);
  return net.concat({even, odd});
}

TensorId cell(Builder& net, const Cell& spec, const CellInputs& inputs, int64_t channels,
              int64_t stride) {
  std::vector<TensorId> states;
  const TensorId previous = adapted(net, inputs.previous, inputs.current, channels);
  states.push_back(
      relu_conv(net, inputs.current, {.channels = channels, .activation = Activation::kNone}));
  states.push_back(previous);
  for (const auto& terms : spec.sums) {
    TensorId made[2];
    for (size_t k = 0; k < 2; ++k) {
      const Cell::Term& term = terms[k];
      made[k] = apply(net, term.op, states.at(static_cast<size_t>(term.state)), channels,
                      term.state < 2 ? stride : 1);
    }
    states.push_back(net.add(made[0], made[1]));
  }
  std::vector<TensorId> joined;
  for (const int state : spec.joined) {
    if (state >= 0) joined.push_back(states.at(static_cast<size_t>(state)));
  }
  return net.concat(joined);
}

Graph cell_stacks(Builder& net, const CellNetwork& network, CellInputs state) {
  int64_t channels = network.channels;
  int number = 0;
  const auto put = [&](const Cell& spec, int64_t stride) {
    net.scope(fmt::format("cell_{}", number++));
    state = {cell(net, spec, state, channels, stride), state.current};
  };
  for (int stack = 0; stack < 3; ++stack) {
    if (stack > 0) {
      channels *= 2;
      put(network.reduction, 2);
    }
    for (int64_t k = 0; k < network.cells; ++k) put(network.normal, 1);
  }
  net.scope("");
  const TensorId pooled = net.mean(net.relu(state.current));
  return net.finish({net.softmax(net.fully_connected(pooled, {.channels = network.classes}))});
}

Graph imagenet_cells(Builder& net, const CellNetwork& network, int64_t side) {
  const TensorId image = net.input({1, side, side, 3});
  const TensorId stem = net.conv(image, {.channels = 32,
                                         .kernel = 3,
                                         .stride = 2,
                                         .activation = Activation::kNone,
                                         .pads = Pads::kValid});
  net.scope("stem_0");
  const TensorId first = cell(net, network.reduction, {stem, {}}, network.channels / 4, 2);
  net.scope("stem_1");
  const TensorId second = cell(net, network.reduction, {first, stem}, network.channels / 2, 2);
  return cell_stacks(net, network, {second, first});
}

}  // namespace thimble::zoo
