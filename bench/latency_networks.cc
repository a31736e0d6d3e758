// SPDX-License-Identifier: Apache-2.0
#include "bench/latency_networks.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "tests/support/random_op.h"
#include "thimble/rewrites/rewrites.h"
#include "zoo/builder.h"

namespace thimble {
namespace {

using zoo::Builder;
using zoo::Random;

class Draw {
 public:
  explicit Draw(uint64_t seed) : random_(seed), net_("network", seed) {}

  // Between the two, small ones as likely as large ones.
  int64_t some(int64_t lowest, int64_t highest) {
    const double low = std::log(static_cast<double>(lowest));
    const double high = std::log(static_cast<double>(highest) + 1);
    const auto value = static_cast<int64_t>(std::exp(low + (high - low) * random_.unit()));
    return std::clamp(value, lowest, highest);
  }
  bool maybe(double probability) { return random_.chance(probability); }
  int64_t one_of(std::array<int64_t, 4> values) {
    return values[static_cast<size_t>(random_.between(0, 3))];
  }
  Activation activation() { return maybe(0.5) ? Activation::kRelu6 : Activation::kNone; }
  Activation any_activation() { return maybe(0.3) ? Activation::kRelu : activation(); }

  TensorId image(int64_t most_side, int64_t most_channels) {
    return net_.input({1, some(3, most_side), some(3, most_side), some(1, most_channels)});
  }
  TensorId conv(TensorId x, int64_t kernel, int64_t most_channels) {
    return net_.conv(x, {.channels = some(1, most_channels),
                         .kernel = kernel,
                         .stride = maybe(0.3) ? 2 : 1,
                         .activation = activation()});
  }
  TensorId depthwise(TensorId x, Activation activation = Activation::kRelu6) {
    const int64_t kernel = one_of({3, 3, 5, 7});
    return net_.depthwise(x, {.kernel = maybe(0.75) ? kernel : zoo::Size2D(some(1, 10), some(1, 8)),
                              .stride = maybe(0.3) ? 2 : 1,
                              .multiplier = maybe(0.85) ? 1 : some(2, 8),
                              .activation = activation});
  }
  TensorId multiplied() {
    return net_.depthwise(image(40, 4), {.kernel = {some(1, 10), some(1, 8)},
                                         .stride = maybe(0.5) ? 2 : 1,
                                         .multiplier = some(2, 12)});
  }

  TensorId window() {
    const int64_t kernel = one_of({2, 3, 3, 5});
    const TensorId x = image(24, 24);
    if (maybe(0.15)) {
      const int64_t groups = net_.channels(x) % 2 == 0 ? 2 : 1;
      return net_.conv(x, {.channels = groups * some(1, 24), .kernel = kernel, .groups = groups});
    }
    if (maybe(0.2))
      return net_.conv(x, {.channels = some(1, 32), .kernel = {some(1, 5), some(1, 7)}});
    return conv(x, kernel, 32);
  }
  TensorId pointwise() { return conv(image(24, 96), 1, 96); }
  TensorId dense() {
    return net_.fully_connected(net_.input({1, some(4, 700)}), {.channels = some(1, 200)});
  }
  // MobileNetV2's block: what loops over channels and spans of rows are made for.
  TensorId block() {
    const TensorId x = image(20, 16);
    const TensorId wide = net_.conv(x, {.channels = net_.channels(x) * some(2, 6)});
    const TensorId deep = net_.depthwise(wide, {.kernel = one_of({3, 3, 5, 7})});
    const TensorId y =
        net_.conv(deep, {.channels = net_.channels(x), .activation = Activation::kNone});
    return maybe(0.5) ? net_.add(x, y) : y;
  }
  TensorId separable() {
    TensorId x = conv(image(24, 4), 3, 16);
    for (int64_t k = some(1, 2); k > 0; --k) x = conv(depthwise(x), 1, 32);
    if (maybe(0.3)) return x;
    x = net_.mean(x);
    return net_.softmax(net_.fully_connected(x, {.channels = some(2, 12)}));
  }
  TensorId plain() {
    TensorId x = conv(image(24, 8), one_of({3, 3, 5, 1}), 24);
    x = maybe(0.5) ? net_.max_pool(x, {.kernel = 2, .stride = 2, .pads = zoo::Pads::kSame})
                   : conv(x, 3, 24);
    return conv(x, 3, 24);
  }
  TensorId chain() {
    TensorId x = image(28, 16);
    for (int64_t k = some(2, 5); k > 0; --k) x = link(x);
    return x;
  }
  TensorId link(TensorId x) {
    const double which = random_.unit();
    if (which < 0.35) return depthwise(x);
    if (which < 0.65) return conv(x, 1, 48);
    if (which < 0.8) return conv(x, one_of({2, 3, 3, 5}), 24);
    if (which < 0.9)
      return net_.add(x,
                      net_.conv(x, {.channels = net_.channels(x), .kernel = one_of({1, 1, 3, 3})}));
    const zoo::PoolLayer layer{
        .kernel = some(2, 3), .stride = some(1, 2), .pads = zoo::Pads::kSame};
    return maybe(0.5) ? net_.max_pool(x, layer) : net_.average_pool(x, layer);
  }
  TensorId pool() {
    const zoo::PoolLayer layer{
        .kernel = some(2, 5), .stride = some(1, 2), .pads = zoo::Pads::kSame};
    const TensorId x = image(24, 48);
    return maybe(0.5) ? net_.max_pool(x, layer) : net_.average_pool(x, layer);
  }
  TensorId mean() { return net_.mean(image(20, 64), maybe(0.5)); }
  TensorId averaged() {
    const TensorId x = conv(image(24, 8), 3, 24);
    return maybe(0.5) ? net_.mean(x)
                      : net_.average_pool(
                            x, {.kernel = {net_.shape(x)[1], net_.shape(x)[2]}, .stride = 1});
  }
  TensorId sum() {
    const TensorId x = image(24, 48);
    const TensorId y = net_.input(net_.shape(x));
    switch (random_.between(0, 4)) {
      case 0:
        return net_.sub(x, y);
      case 1:
        return net_.squared_difference(x, y);
      case 2:
        return net_.mul(x, y);
      default:
        return net_.add(x, y);
    }
  }
  TensorId elements() {
    const TensorId x = image(24, 48);
    return maybe(0.4) ? net_.sigmoid(x) : net_.relu(x);
  }
  TensorId moved() {
    const TensorId x = image(20, 32);
    const Shape& s = net_.shape(x);
    const int64_t pads = some(1, 3);
    switch (random_.between(0, 4)) {
      case 0:
        return net_.pad(x, {0, pads, pads, maybe(0.3) ? 2 : 0}, {0, pads, 1, 0});
      case 1:
        return net_.slice(x, {0, 1, 0, 0}, {1, s[1] - 1, s[2], std::max<int64_t>(1, s[3] / 2)});
      case 2:
        return net_.upsample(x, {1, 2 * s[1], 2 * s[2], s[3]});
      case 3:
        return net_.concat({x, net_.input({1, s[1], s[2], some(1, 16)})});
      default:
        return net_.add(net_.transpose(x, {0, 2, 1, 3}), net_.input({1, s[2], s[1], s[3]}));
    }
  }
  TensorId product() {
    const int64_t rows = some(2, 48), depth = some(2, 64), columns = some(2, 48);
    const bool adjoint = maybe(0.5);
    const TensorId x = net_.input({1, some(1, 4), rows, depth});
    const int64_t heads = net_.shape(x)[1];
    return net_.batch_matmul(
        x, net_.input(adjoint ? Shape{1, heads, columns, depth} : Shape{1, heads, depth, columns}),
        adjoint);
  }
  TensorId softmax() { return net_.softmax(net_.input({some(1, 64), some(2, 64)})); }

  // Joined along any axis, in pieces of any width; multiples of four more often than not.
  TensorId copied() {
    const int64_t height = some(1, 24), width = some(1, 24), unit = maybe(0.6) ? 4 : 1;
    const int64_t channels = unit * some(1, 64 / unit);
    const int axis = static_cast<int>(random_.between(1, 3));
    std::vector<TensorId> parts;
    for (int64_t left = some(2, 4); left > 0; --left) {
      Shape shape = {1, height, width, channels};
      shape[static_cast<size_t>(axis)] = axis == 3 ? unit * some(1, 64 / unit) : some(1, 16);
      parts.push_back(net_.input(shape));
    }
    const TensorId joined = net_.concat(parts, axis);
    if (maybe(0.5)) return joined;
    Shape piece = net_.shape(joined);  // rows and pixels of the piece lie apart
    const std::vector<int64_t> begin = {0, 0, piece[2] / 3, unit * (piece[3] / unit / 3)};
    for (size_t k = 2; k < 4; ++k) piece[k] -= begin[k];
    return net_.slice(joined, begin, piece);
  }

  Graph finish(TensorId y) { return net_.finish({y}); }

 private:
  Random random_;
  Builder net_;
};

constexpr std::array kKinds = {
    &Draw::window, &Draw::pointwise, &Draw::block,   &Draw::separable,  &Draw::plain,
    &Draw::window, &Draw::pointwise, &Draw::block,   &Draw::separable,  &Draw::plain,
    &Draw::pool,   &Draw::mean,      &Draw::sum,     &Draw::elements,   &Draw::moved,
    &Draw::dense,  &Draw::product,   &Draw::softmax, &Draw::multiplied, &Draw::averaged};

constexpr uint64_t kFirstLone = 10;  // of the kinds

// What instruction sets have kernels for, in the sizes of layers.
TensorId layer(Draw& draw, uint64_t kind) {
  switch (kind % 10) {
    case 0:
    case 1:
    case 2:
    case 3:
      return draw.depthwise(draw.image(40, 64), draw.any_activation());
    case 4:
    case 5:
      return draw.window();
    case 6:
    case 7:
      return draw.pointwise();
    case 8:
      return draw.maybe(0.5) ? draw.dense() : draw.sum();
    default:
      return draw.maybe(0.5) ? draw.pool() : draw.averaged();
  }
}

TensorId lone_depthwise(Draw& draw) { return draw.depthwise(draw.image(24, 48)); }

// A network of any one operator, or of one with kernels for many pairs of types.
Graph one_operator(uint64_t number) {
  static const Attributes kMany[] = {Quantize{}, Quantize{},   Quantize{},       Dequantize{},
                                     Quantize{}, Dequantize{}, ResizeBilinear{}, Softmax{},
                                     Quantize{}, Reshape{},    Relu6{},          FullyConnected{}};
  const uint64_t operators = std::variant_size_v<AnyOperator>;
  const uint64_t index =
      number % 2 == 0 ? number / 2 % operators : kMany[number / 2 % std::size(kMany)].index();
  return testing::random_op_graph(number * operators + index);
}

constexpr const char* kPlanners[] = {"reorder",
                                     "pex",
                                     "depthwise_tiling",
                                     "pex:accumulators=16",
                                     "patch",
                                     "stream:granularity=row",
                                     "stream:granularity=pixel"};

}  // namespace

Graph latency_chain(uint64_t seed) {
  Draw draw(seed);
  return rewrite(draw.finish(draw.chain()));
}

Graph latency_copies(uint64_t seed) {
  Draw draw(seed);
  return rewrite(draw.finish(draw.copied()));
}

Graph latency_layer(uint64_t seed) {
  Draw draw(seed);
  const TensorId y = layer(draw, seed);
  return rewrite(draw.finish(y));
}

Graph latency_depthwise(uint64_t seed) {
  Draw draw(seed);
  const TensorId x = draw.image(40, 96);
  return rewrite(draw.finish(draw.depthwise(x, draw.any_activation())));
}

// CONV_2D, and what follows POW beside Elementwise, are never drawn in float32: their seeds give no
// programs, and are here because cores were fitted with the others.
Graph latency_function(uint64_t seed) {
  static const Attributes kFunctions[] = {
      Elementwise{}, FloorDiv{}, Elementwise{}, Conv2D{},     Elementwise{}, Pow{},
      Elementwise{}, Tanh{},     Elementwise{}, Logistic{},   Elementwise{}, Gelu{},
      Elementwise{}, Elu{},      Elementwise{}, LogSoftmax{}, Elementwise{}, Softmax{}};
  const size_t index = kFunctions[seed % std::size(kFunctions)].index();
  return rewrite(testing::random_op_graph(seed * std::variant_size_v<AnyOperator> + index));
}

LatencyNetwork latency_network(uint64_t seed) {
  // Beside the table: depthwise convolutions, and small networks of one operator that reach every
  // kernel.
  const uint64_t kinds = kKinds.size() + 1 + 10;
  const uint64_t kind = seed % kinds, round = seed / kinds;
  // Planners have little to cut in a network of one operator.
  const bool lone = kind >= kFirstLone;
  const bool in_pieces = lone ? round % 2 == 1 : round % 3 == 1;
  const char* planner = kPlanners[round % std::size(kPlanners)];
  if (kind > kKinds.size())
    return {rewrite(one_operator(round * 10 + kind % 10)), "reorder", in_pieces};
  Draw draw(seed);
  const TensorId y = kind == kKinds.size() ? lone_depthwise(draw) : (draw.*kKinds[kind])();
  return {rewrite(draw.finish(y)), planner, in_pieces};
}

}  // namespace thimble
