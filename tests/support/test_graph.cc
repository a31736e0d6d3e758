// SPDX-License-Identifier: Apache-2.0
#include "tests/support/test_graph.h"

#include <algorithm>

namespace thimble::testing {

TensorId TestGraph::activation(const Shape& shape, float scale, int32_t zero_point) {
  const TensorId id{static_cast<int32_t>(graph_.tensors.size())};
  graph_.tensors.push_back({.name = "t" + std::to_string(id.value),
                            .shape = shape,
                            .type = DType::kInt8,
                            .quantization = {{scale}, {zero_point}, 0},
                            .data = nullptr});
  return id;
}

TensorId TestGraph::constant(const Shape& shape, DType type, int64_t low, int64_t high,
                             const Quantization& quantization) {
  Bytes data;
  const int64_t size = size_bytes(type);
  for (int64_t k = 0; k < elements(shape); ++k) {
    const auto span = static_cast<uint64_t>(high - low + 1);
    const int64_t value = low + static_cast<int64_t>(random_() % span);
    for (int64_t b = 0; b < size; ++b)
      data.push_back(static_cast<uint8_t>(static_cast<uint64_t>(value) >> (8 * b)));
  }
  const TensorId id{static_cast<int32_t>(graph_.tensors.size())};
  graph_.tensors.push_back({.name = "c" + std::to_string(id.value),
                            .shape = shape,
                            .type = type,
                            .quantization = quantization,
                            .data = std::make_shared<const Bytes>(std::move(data))});
  return id;
}

TensorId TestGraph::op(Attributes attributes, std::vector<TensorId> inputs, TensorId out) {
  const auto number = static_cast<int>(graph_.ops.size());
  graph_.ops.push_back({std::move(attributes), std::move(inputs), {out}, number});
  return out;
}

Window TestGraph::same_window(TensorId x, int64_t kernel, int64_t stride) const {
  const Shape& in = graph_.tensor(x).shape;
  auto total = [&](int64_t extent) {
    const int64_t out = (extent + stride - 1) / stride;
    return std::max<int64_t>(0, (out - 1) * stride + kernel - extent);
  };
  const int64_t rows = total(in[1]), columns = total(in[2]);
  return {.kernel_h = kernel,
          .kernel_w = kernel,
          .stride_h = stride,
          .stride_w = stride,
          .padding = {rows / 2, rows - rows / 2, columns / 2, columns - columns / 2}};
}

TensorId TestGraph::input(const Shape& shape) {
  const TensorId id = activation(shape, 0.05F, 3);
  graph_.inputs.push_back({id, {}});
  return id;
}

TensorId TestGraph::float_input(const Shape& shape) {
  const TensorId id = input(shape);
  graph_.tensors[id.index()].type = DType::kFloat32;
  graph_.tensors[id.index()].quantization = {};
  return op(Quantize{}, {id}, activation(shape, 0.05F, 3));
}

TensorId TestGraph::conv(TensorId x, int64_t out_channels, int64_t kernel, int64_t stride) {
  const Shape in = graph_.tensor(x).shape;
  std::vector<float> scales;
  for (int64_t c = 0; c < out_channels; ++c)
    scales.push_back(0.004F + 0.0001F * static_cast<float>(c % 17));
  const Quantization per_channel{scales, std::vector<int32_t>(scales.size(), 0), 0};
  const TensorId weights =
      constant({out_channels, kernel, kernel, in[3]}, DType::kInt8, -127, 127, per_channel);
  const TensorId bias = constant({out_channels}, DType::kInt32, -500, 500, {});
  const TensorId y = activation(
      {in[0], (in[1] + stride - 1) / stride, (in[2] + stride - 1) / stride, out_channels}, 0.06F,
      -9);
  return op(Conv2D{.window = same_window(x, kernel, stride)}, {x, weights, bias}, y);
}

TensorId TestGraph::depthwise(TensorId x, int64_t kernel, int64_t stride) {
  const Shape in = graph_.tensor(x).shape;
  const std::vector<float> scales(static_cast<size_t>(in[3]), 0.006F);
  const Quantization per_channel{scales, std::vector<int32_t>(scales.size(), 0), 3};
  const TensorId weights =
      constant({1, kernel, kernel, in[3]}, DType::kInt8, -127, 127, per_channel);
  const TensorId bias = constant({in[3]}, DType::kInt32, -300, 300, {});
  const TensorId y = activation(
      {in[0], (in[1] + stride - 1) / stride, (in[2] + stride - 1) / stride, in[3]}, 0.07F, 5);
  return op(DepthwiseConv2D{.window = same_window(x, kernel, stride), .multiplier = 1},
            {x, weights, bias}, y);
}

TensorId TestGraph::add(TensorId a, TensorId b) {
  return op(Add{}, {a, b}, activation(graph_.tensor(a).shape, 0.09F, 1));
}

TensorId TestGraph::mul(TensorId a, TensorId b) {
  return op(Mul{}, {a, b}, activation(graph_.tensor(a).shape, 0.03F, 5));
}

TensorId TestGraph::pool(TensorId x, Attributes kind, int64_t stride) {
  const Tensor in = graph_.tensor(x);
  const Shape out{in.shape[0], (in.shape[1] + stride - 1) / stride,
                  (in.shape[2] + stride - 1) / stride, in.shape[3]};
  return op(std::move(kind), {x},
            activation(out, in.quantization.scales[0], in.quantization.zero_points[0]));
}

TensorId TestGraph::average_pool(TensorId x, int64_t kernel, int64_t stride) {
  return pool(x, AveragePool2D{.window = same_window(x, kernel, stride)}, stride);
}

TensorId TestGraph::max_pool(TensorId x, int64_t kernel, int64_t stride, Activation activation) {
  return pool(x, MaxPool2D{same_window(x, kernel, stride), activation}, stride);
}

TensorId TestGraph::logistic(TensorId x) {
  return op(Logistic{}, {x}, activation(graph_.tensor(x).shape, 0x1p-8F, -128));
}

TensorId TestGraph::mean(TensorId x) {
  const Shape in = graph_.tensor(x).shape;
  return op(Mean{.axes = {1, 2}}, {x}, activation({in[0], 1, 1, in[3]}, 0.04F, -2));
}

TensorId TestGraph::reshape(TensorId x, const Shape& shape) {
  const Quantization q = graph_.tensor(x).quantization;
  return op(Reshape{}, {x}, activation(shape, q.scales[0], q.zero_points[0]));
}

TensorId TestGraph::pad(TensorId x, int64_t before, int64_t after) {
  const Tensor in = graph_.tensor(x);
  const Shape out{in.shape[0], in.shape[1] + before + after, in.shape[2] + before + after,
                  in.shape[3]};
  const TensorId y = activation(out, in.quantization.scales[0], in.quantization.zero_points[0]);
  return op(Pad{.before = {0, before, before, 0},
                .after = {0, after, after, 0},
                .value = in.quantization.zero_points[0]},
            {x}, y);
}

TensorId TestGraph::transpose(TensorId x, const std::vector<int>& permutation) {
  const Tensor in = graph_.tensor(x);
  Shape out;
  for (int axis : permutation) out.push_back(in.shape[static_cast<size_t>(axis)]);
  return op(Transpose{permutation}, {x},
            activation(out, in.quantization.scales[0], in.quantization.zero_points[0]));
}

TensorId TestGraph::resize(TensorId x, Attributes kind, int64_t rows, int64_t columns) {
  const Tensor in = graph_.tensor(x);
  return op(std::move(kind), {x},
            activation({in.shape[0], rows, columns, in.shape[3]}, in.quantization.scales[0],
                       in.quantization.zero_points[0]));
}

TensorId TestGraph::concat(TensorId a, TensorId b) {
  const Tensor in = graph_.tensor(a);
  Shape out = in.shape;
  out[3] += graph_.tensor(b).shape[3];
  return op(Concat{.axis = 3}, {a, b},
            activation(out, in.quantization.scales[0], in.quantization.zero_points[0]));
}

TensorId TestGraph::fully_connected(TensorId x, int64_t out_channels) {
  const int64_t in = elements(graph_.tensor(x).shape);
  const TensorId weights =
      constant({out_channels, in}, DType::kInt8, -127, 127, {{0.005F}, {0}, 0});
  const TensorId bias = constant({out_channels}, DType::kInt32, -500, 500, {});
  return op(FullyConnected{}, {x, weights, bias}, activation({1, out_channels}, 0.08F, -4));
}

TensorId TestGraph::linear(TensorId x, int64_t out_channels) {
  Shape out = graph_.tensor(x).shape;
  const TensorId weights =
      constant({out_channels, out.back()}, DType::kInt8, -127, 127, {{0.005F}, {0}, 0});
  const TensorId bias = constant({out_channels}, DType::kInt32, -500, 500, {});
  out.back() = out_channels;
  return op(FullyConnected{}, {x, weights, bias}, activation(out, 0.05F, -4));
}

TensorId TestGraph::batch_matmul(TensorId x, TensorId y, bool adjoint_y) {
  const Shape right = graph_.tensor(y).shape;
  Shape out = graph_.tensor(x).shape;
  out.back() = adjoint_y ? right[right.size() - 2] : right.back();
  return op(BatchMatMul{.adjoint_x = false, .adjoint_y = adjoint_y}, {x, y},
            activation(out, 0.07F, 3));
}

TensorId TestGraph::softmax(TensorId x) {
  return op(Softmax{}, {x}, activation(graph_.tensor(x).shape, 0x1p-8F, -128));
}

Graph residual_network() {
  TestGraph g(1);
  const TensorId x = g.input({1, 24, 24, 8});
  const TensorId t = g.conv(x, 16, 3, 2);
  const TensorId u = g.depthwise(t, 3, 1);
  const TensorId y = g.add(t, u);
  g.output(g.conv(y, 4, 1, 1));
  Graph graph = g.graph();
  for (size_t k = 0; k < graph.ops.size(); ++k) graph.ops[k].file_index = static_cast<int>(k);
  return graph;
}

}  // namespace thimble::testing
