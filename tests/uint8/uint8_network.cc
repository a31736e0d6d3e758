// SPDX-License-Identifier: Apache-2.0
#include "tests/uint8/uint8_network.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "thimble/model/same_padding.h"

namespace thimble::testing {
namespace {

constexpr double kWeightScale = 0.013;

int64_t outputs(int64_t in, int64_t pads, int64_t kernel, int64_t stride) {
  return (in + pads - kernel) / stride + 1;
}

}  // namespace

TensorId Uint8Network::activation(const Shape& shape, double scale, int64_t zero_point) {
  graph_.tensors.push_back({.name = "t" + std::to_string(graph_.tensors.size()),
                            .shape = shape,
                            .type = DType::kUInt8,
                            .quantization = {.scales = {static_cast<float>(scale)},
                                             .zero_points = {static_cast<int32_t>(zero_point)}},
                            .data = nullptr});
  return {static_cast<int32_t>(graph_.tensors.size()) - 1};
}

TensorId Uint8Network::like(TensorId x, const Shape& shape) {
  const Quantization q = graph_.tensor(x).quantization;
  return activation(shape, double{q.scales[0]}, q.zero_points[0]);
}

TensorId Uint8Network::op(Attributes attributes, std::vector<TensorId> inputs, TensorId out) {
  const auto number = static_cast<int>(graph_.ops.size());
  graph_.ops.push_back({std::move(attributes), std::move(inputs), {out}, number});
  return out;
}

Activation Uint8Network::any_activation() {
  static constexpr Activation kAll[] = {Activation::kNone, Activation::kRelu, Activation::kRelu6,
                                        Activation::kReluN1To1};
  return kAll[random_.between(0, 3)];
}

TensorId Uint8Network::input(const Shape& shape) {
  const TensorId x = activation(shape, 0.01 + 0.02 * random_.unit(), random_.between(0, 255));
  graph_.inputs.push_back({.tensor = x});
  return x;
}

TensorId Uint8Network::weights(const Shape& shape, int64_t spread) {
  const int64_t zero_point = random_.between(64, 190);
  const double scale = kWeightScale * (0.5 + random_.unit());
  const TensorId w = activation(shape, scale, zero_point);
  Bytes bytes(static_cast<size_t>(graph_.tensor(w).size_bytes()));
  for (uint8_t& byte : bytes) {
    byte = static_cast<uint8_t>(random_.between(std::max<int64_t>(0, zero_point - spread),
                                                std::min<int64_t>(255, zero_point + spread)));
  }
  if (spread > 127) bytes[0] = 0, bytes[bytes.size() - 1] = 255;
  graph_.tensor(w).data = std::make_shared<const Bytes>(std::move(bytes));
  return w;
}

TensorId Uint8Network::weighted(TensorId x, Attributes attributes, TensorId w, const Shape& out) {
  const float product =
      graph_.tensor(x).quantization.scales[0] * graph_.tensor(w).quantization.scales[0];
  const auto channels = static_cast<size_t>(out.back());
  std::vector<int32_t> values(channels);
  for (int32_t& value : values) value = static_cast<int32_t>(random_.between(-4000, 4000));
  Bytes bytes(4 * channels);
  std::memcpy(bytes.data(), values.data(), bytes.size());
  graph_.tensors.push_back({.name = "b" + std::to_string(graph_.tensors.size()),
                            .shape = {out.back()},
                            .type = DType::kInt32,
                            .quantization = {.scales = {product}, .zero_points = {0}},
                            .data = std::make_shared<const Bytes>(std::move(bytes))});
  const TensorId bias{static_cast<int32_t>(graph_.tensors.size()) - 1};
  const auto terms = static_cast<double>(elements(graph_.tensor(w).shape)) / double(out.back());
  const double scale = double{product} * std::sqrt(terms) * (20 + 60 * random_.unit());
  return op(std::move(attributes), {x, w, bias}, activation(out, scale, random_.between(0, 255)));
}

Window Uint8Network::window(TensorId x, int64_t kernel, int64_t stride, bool same) const {
  const Shape& in = shape(x);
  Window w{.kernel_h = std::min(kernel, in[1]),
           .kernel_w = std::min(kernel, in[2]),
           .stride_h = stride,
           .stride_w = stride,
           .padding = {}};
  if (same) w.padding = same_padding(w, in[1], in[2]);
  return w;
}

Window Uint8Network::upwards(TensorId x) {
  const int64_t kernel = random_.between(1, 4);
  const int64_t stride = shape(x)[1] > 12 ? 1 : random_.between(1, 3);
  Window w{.kernel_h = kernel,
           .kernel_w = random_.between(1, 4),
           .stride_h = stride,
           .stride_w = stride,
           .padding = {}};
  const Shape& in = shape(x);
  if (random_.chance(0.5)) w.padding = same_padding(w, in[1] * stride, in[2] * stride);
  return w;
}

Shape Uint8Network::pooled(TensorId x, const Window& w, int64_t channels) const {
  const Shape& in = shape(x);
  return {1, outputs(in[1], w.padding.top + w.padding.bottom, w.kernel_h, w.stride_h),
          outputs(in[2], w.padding.left + w.padding.right, w.kernel_w, w.stride_w), channels};
}

TensorId Uint8Network::conv(TensorId x, int64_t channels, Window w, int64_t spread) {
  const TensorId made = weights({channels, w.kernel_h, w.kernel_w, shape(x)[3]}, spread);
  return weighted(x, Conv2D{.window = w, .activation = any_activation()}, made,
                  pooled(x, w, channels));
}

TensorId Uint8Network::transpose_conv(TensorId x, int64_t channels, Window w, int64_t spread) {
  const TensorId made = weights({channels, w.kernel_h, w.kernel_w, shape(x)[3]}, spread);
  const auto extent = [](int64_t in, int64_t stride, int64_t kernel, int64_t pads) {
    return std::max<int64_t>(1, (in - 1) * stride + kernel - pads);
  };
  const Shape& in = shape(x);
  const Shape out = {1, extent(in[1], w.stride_h, w.kernel_h, w.padding.top + w.padding.bottom),
                     extent(in[2], w.stride_w, w.kernel_w, w.padding.left + w.padding.right),
                     channels};
  w.padding.bottom = w.padding.right = 0;
  return weighted(x, TransposeConv{.window = w, .activation = any_activation()}, made, out);
}

TensorId Uint8Network::depthwise(TensorId x, int64_t multiplier, Window w, int64_t spread) {
  const int64_t channels = shape(x)[3] * multiplier;
  const TensorId made = weights({1, w.kernel_h, w.kernel_w, channels}, spread);
  return weighted(
      x, DepthwiseConv2D{.window = w, .multiplier = multiplier, .activation = any_activation()},
      made, pooled(x, w, channels));
}

TensorId Uint8Network::fully_connected(TensorId x, int64_t channels, int64_t spread) {
  const int64_t depth = shape(x).back();
  return weighted(x, FullyConnected{.activation = any_activation()},
                  weights({channels, depth}, spread), {elements(shape(x)) / depth, channels});
}

TensorId Uint8Network::add(TensorId a, TensorId b) {
  const double scale = double{graph_.tensor(a).quantization.scales[0]} * (1 + random_.unit());
  return op(Add{.activation = any_activation()}, {a, b},
            activation(shape(a), scale, random_.between(0, 255)));
}

TensorId Uint8Network::sub(TensorId a, TensorId b) {
  const double scale = double{graph_.tensor(a).quantization.scales[0]} * (0.5 + random_.unit());
  return op(Sub{.activation = any_activation()}, {a, b},
            activation(shape(a), scale, random_.between(0, 255)));
}

TensorId Uint8Network::div(TensorId a, TensorId b) {
  const double quotient = double{scale(a)} / double{scale(b)};
  return op(Div{.activation = any_activation()}, {a, b},
            activation(shape(a), quotient * (0.02 + random_.unit()), random_.between(0, 255)));
}

TensorId Uint8Network::prelu(TensorId x) {
  const TensorId alpha = weights({1, 1, shape(x)[3]}, 255);
  return op(
      Prelu{}, {x, alpha},
      activation(shape(x), double{scale(x)} * (0.5 + random_.unit()), random_.between(0, 255)));
}

TensorId Uint8Network::mul(TensorId a, TensorId b) {
  const double product = double{graph_.tensor(a).quantization.scales[0]} *
                         double{graph_.tensor(b).quantization.scales[0]};
  return op(Mul{.activation = any_activation()}, {a, b},
            activation(shape(a), product * (20 + 60 * random_.unit()), random_.between(0, 255)));
}

TensorId Uint8Network::concat(TensorId a, TensorId b) {
  Shape out = shape(a);
  out[3] += shape(b)[3];
  if (random_.chance(0.3)) return op(Concat{.axis = 3}, {a, b}, like(a, out));
  const double scale = double{graph_.tensor(b).quantization.scales[0]} * (0.5 + random_.unit());
  return op(Concat{.axis = 3}, {a, b}, activation(out, scale, random_.between(0, 255)));
}

TensorId Uint8Network::average_pool(TensorId x, Window w) {
  return op(AveragePool2D{.window = w, .activation = any_activation()}, {x},
            like(x, pooled(x, w, shape(x)[3])));
}

TensorId Uint8Network::max_pool(TensorId x, Window w) {
  return op(MaxPool2D{.window = w, .activation = any_activation()}, {x},
            like(x, pooled(x, w, shape(x)[3])));
}

TensorId Uint8Network::mean(TensorId x) {
  const double scale = double{graph_.tensor(x).quantization.scales[0]} * (0.5 + random_.unit());
  return op(Mean{.axes = {1, 2}}, {x},
            activation({1, 1, 1, shape(x)[3]}, scale, random_.between(0, 255)));
}

TensorId Uint8Network::pad(TensorId x) {
  Shape out = shape(x);
  out[1] += 3;
  out[2] += 1;
  return op(Pad{.before = {0, 1, 1, 0},
                .after = {0, 2, 0, 0},
                .value = graph_.tensor(x).quantization.zero_points[0]},
            {x}, like(x, out));
}

TensorId Uint8Network::flat(TensorId x) {
  return op(Reshape{}, {x}, like(x, {1, elements(shape(x))}));
}

TensorId Uint8Network::logistic(TensorId x) {
  return op(Logistic{}, {x}, activation(shape(x), 1.0 / 256, 0));
}

TensorId Uint8Network::tanh(TensorId x) {
  return op(Tanh{}, {x}, activation(shape(x), 1.0 / 128, 128));
}

TensorId Uint8Network::softmax(TensorId x) {
  return op(Softmax{.beta = 1}, {x}, activation(shape(x), 1.0 / 256, 0));
}

Graph Uint8Network::finish(const std::vector<TensorId>& ports) {
  for (const TensorId t : ports) graph_.outputs.push_back({.tensor = t});
  return graph_;
}

Graph random_uint8_network(uint64_t seed) {
  Uint8Network net(seed);
  zoo::Random& random = net.random();
  const auto spread = [&] { return random.chance(0.3) ? 60 : 255; };
  const auto any_window = [&](TensorId x) {
    return net.window(x, random.between(1, 4), random.between(1, 2), random.chance(0.5));
  };
  TensorId x = net.input({1, random.between(4, 9), random.between(4, 9), random.between(1, 5)});
  const int64_t count = random.between(2, 7);
  for (int64_t k = 0; k < count; ++k) {
    switch (random.between(0, 13)) {
      case 0:
      case 1:
        x = net.conv(x, random.between(1, 9), any_window(x), spread());
        break;
      case 2:
        x = net.depthwise(x, random.between(1, 2), any_window(x), spread());
        break;
      case 3:
        x = net.average_pool(x, any_window(x));
        break;
      case 4:
        x = net.max_pool(x, any_window(x));
        break;
      case 5:
        x = net.add(x, net.conv(x, net.shape(x)[3], net.window(x, 1, 1, true), spread()));
        break;
      case 6:
        x = net.mul(x, net.depthwise(x, 1, net.window(x, 3, 1, true), spread()));
        break;
      case 7:
        x = net.concat(x, net.max_pool(x, net.window(x, 3, 1, true)));
        break;
      case 8:
        x = random.chance(0.5) ? net.logistic(x) : net.tanh(x);
        break;
      case 9:
        x = net.sub(x, net.depthwise(x, 1, net.window(x, 3, 1, true), spread()));
        break;
      case 10:
        x = net.div(x, net.conv(x, net.shape(x)[3], net.window(x, 1, 1, true), spread()));
        break;
      case 11:
        x = net.prelu(x);
        break;
      case 12:
        x = net.transpose_conv(x, random.between(1, 5), net.upwards(x), spread());
        break;
      default:
        x = net.pad(x);
        break;
    }
  }
  if (random.chance(0.3)) return net.finish({x});
  x = net.flat(random.chance(0.5) ? net.mean(x) : x);
  // Softmax of more than some 500 shifts by more than 31 bits, which the kernel does not define.
  if (random.chance(0.7) || elements(net.shape(x)) > 256)
    x = net.fully_connected(x, random.between(2, 10), spread());
  // Nor do Thimble and its fixed point take softmax of larger scales.
  return net.finish({net.scale(x) < 16 ? net.softmax(x) : x});
}

std::vector<Bytes> random_uint8_inputs(const Graph& graph, uint64_t seed) {
  zoo::Random random(seed);
  std::vector<Bytes> result;
  for (const Port& port : graph.inputs) {
    Bytes& bytes = result.emplace_back(static_cast<size_t>(graph.tensor(port.tensor).size_bytes()));
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random.between(0, 255));
  }
  return result;
}

}  // namespace thimble::testing
