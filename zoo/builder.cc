// SPDX-License-Identifier: Apache-2.0
// A small vocabulary of layers that builds an int8 network in memory.
#include "zoo/builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "thimble/model/error.h"
#include "thimble/operators/operators.h"

namespace thimble::zoo {
namespace {

/// Activations without a clamp spread over about [-5, 5], those after relu6 over [0, 6].
Quantization plain() { return {{0.04F}, {-3}, 0}; }
Quantization after_relu6() { return {{6.0F / 255}, {-128}, 0}; }
Quantization probability() { return {{1.0F / 256}, {-128}, 0}; }

Quantization after(Activation activation) {
  return activation == Activation::kRelu6 ? after_relu6() : plain();
}

Window window(const Shape& x, int64_t kernel, int64_t stride, Pads pads) {
  Window w{.kernel_h = kernel, .kernel_w = kernel, .stride_h = stride, .stride_w = stride};
  if (pads == Pads::kValid) return w;
  auto total = [&](int64_t extent) {
    return std::max<int64_t>(((extent + stride - 1) / stride - 1) * stride + kernel - extent, 0);
  };
  const int64_t high = total(x[1]);
  const int64_t wide = total(x[2]);
  w.padding = {high / 2, high - high / 2, wide / 2, wide - wide / 2};
  return w;
}

template <class T>
Bytes bytes_of(const std::vector<T>& values) {
  Bytes bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

}  // namespace

Builder::Builder(const std::string& name, uint64_t seed) : random_(seed) { graph_.name = name; }

TensorId Builder::input(const Shape& shape) {
  graph_.tensors.push_back({"input", shape, DType::kInt8, plain(), nullptr});
  const TensorId id{static_cast<int32_t>(graph_.tensors.size()) - 1};
  graph_.inputs.push_back({id, {}});
  return id;
}

TensorId Builder::constant(const std::string& name, const Shape& shape, DType type, Bytes data) {
  graph_.tensors.push_back({name, shape, type, {}, std::make_shared<const Bytes>(std::move(data))});
  return TensorId{static_cast<int32_t>(graph_.tensors.size()) - 1};
}

/// An output shape that is still empty follows from the inputs.
TensorId Builder::op(Attributes attributes, std::vector<TensorId> inputs, Tensor output) {
  const auto number = static_cast<int>(graph_.ops.size());
  if (output.name.empty()) output.name = fmt::format("{}_{}", snake_name(attributes), number);
  const bool shape_known = !output.shape.empty();
  graph_.tensors.push_back(std::move(output));
  const TensorId id{static_cast<int32_t>(graph_.tensors.size()) - 1};
  graph_.ops.push_back({std::move(attributes), std::move(inputs), {id}, number});
  if (!shape_known) graph_.tensor(id).shape = output_shape(graph_, graph_.ops.back());
  return id;
}

/// Uniform weights have a standard deviation of 73, activations one of about 50 and so the sum of
/// `depth` products sqrt(depth) * 73 * 50; the weights' scale brings that back to 50.
TensorId Builder::weighted(TensorId x, const Weighted& layer) {
  const int64_t channels = layer.weights[static_cast<size_t>(layer.channel_axis)];
  const int64_t depth = elements(layer.weights) / channels;
  const Quantization out = after(layer.activation);
  std::vector<int8_t> weights(static_cast<size_t>(elements(layer.weights)));
  for (int8_t& w : weights) w = static_cast<int8_t>(random_.between(-127, 127));
  Quantization q{.axis = layer.channel_axis};
  std::vector<int32_t> bias;
  for (int64_t o = 0; o < channels; ++o) {
    const double gain = (0.8 + 0.4 * random_.unit()) / (73 * std::sqrt(static_cast<double>(depth)));
    const double from = graph_.tensor(x).quantization.scales[0];
    q.scales.push_back(static_cast<float>(gain * out.scales[0] / from));
    q.zero_points.push_back(0);
    bias.push_back(static_cast<int32_t>(random_.between(-25, 25) / gain));
  }
  const TensorId w =
      constant(layer.name + "/weights", layer.weights, DType::kInt8, bytes_of(weights));
  graph_.tensor(w).quantization = q;
  const TensorId b = constant(layer.name + "/bias", {channels}, DType::kInt32, bytes_of(bias));
  Tensor output{layer.name, {}, DType::kInt8, out, nullptr};
  if (std::holds_alternative<FullyConnected>(layer.attributes)) output.shape = {1, channels};
  return op(layer.attributes, {x, w, b}, std::move(output));
}

TensorId Builder::conv(TensorId x, const ConvLayer& layer) {
  const Shape from = shape(x);
  const Window w = window(from, layer.kernel, layer.stride, layer.pads);
  return weighted(x, {.attributes = Conv2D{w, layer.activation},
                      .weights = {layer.channels, layer.kernel, layer.kernel, from[3]},
                      .channel_axis = 0,
                      .activation = layer.activation,
                      .name = fmt::format("conv_2d_{}", graph_.ops.size())});
}

TensorId Builder::depthwise(TensorId x, const DepthwiseLayer& layer) {
  const Shape from = shape(x);
  const Window w = window(from, layer.kernel, layer.stride, layer.pads);
  return weighted(x, {.attributes = DepthwiseConv2D{w, layer.multiplier, layer.activation},
                      .weights = {1, layer.kernel, layer.kernel, from[3] * layer.multiplier},
                      .channel_axis = 3,
                      .activation = layer.activation,
                      .name = fmt::format("depthwise_conv_2d_{}", graph_.ops.size())});
}

TensorId Builder::fully_connected(TensorId x, int64_t channels) {
  return weighted(x, {.attributes = FullyConnected{},
                      .weights = {channels, elements(shape(x))},
                      .channel_axis = 0,
                      .activation = Activation::kNone,
                      .name = fmt::format("fully_connected_{}", graph_.ops.size())});
}

TensorId Builder::average_pool(TensorId x, const PoolLayer& layer) {
  const Window w = window(shape(x), layer.kernel, layer.stride, layer.pads);
  return op(AveragePool2D{w}, {x}, {.quantization = graph_.tensor(x).quantization});
}

TensorId Builder::max_pool(TensorId x, const PoolLayer& layer) {
  const Window w = window(shape(x), layer.kernel, layer.stride, layer.pads);
  return op(MaxPool2D{w}, {x}, {.quantization = graph_.tensor(x).quantization});
}

TensorId Builder::mean(TensorId x) {
  const Shape from = shape(x);
  return op(Mean{{1, 2}}, {x},
            {.shape = {from[0], from[3]}, .quantization = graph_.tensor(x).quantization});
}

TensorId Builder::add(TensorId a, TensorId b) {
  return op(Add{}, {a, b}, {.quantization = plain()});
}

TensorId Builder::mul(TensorId a, TensorId b) {
  return op(Mul{}, {a, b}, {.quantization = plain()});
}

TensorId Builder::concat(const std::vector<TensorId>& inputs, int axis) {
  check(!inputs.empty(), "concat: no inputs");
  return op(Concat{axis}, inputs, {.quantization = graph_.tensor(inputs[0]).quantization});
}

TensorId Builder::reshape(TensorId x, const Shape& to) {
  return op(Reshape{}, {x}, {.shape = to, .quantization = graph_.tensor(x).quantization});
}

TensorId Builder::softmax(TensorId x) {
  return op(Softmax{}, {x}, {.quantization = probability()});
}

Graph Builder::finish(const std::vector<TensorId>& outputs) {
  for (TensorId t : outputs) graph_.outputs.push_back({t, {}});
  check_graph(graph_);
  for (const Op& o : graph_.ops) {
    const std::string reason = unsupported_reason(graph_, o);
    if (!reason.empty()) throw InternalError(label(o) + ": " + reason);
  }
  return graph_;
}

}  // namespace thimble::zoo
