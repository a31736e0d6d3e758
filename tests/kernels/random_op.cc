// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/random_op.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

namespace thimble::testing {

int64_t RandomOp::between(int64_t low, int64_t high) {
  // Standard distributions differ between libraries.
  return low + static_cast<int64_t>(engine_() % static_cast<uint64_t>(high - low + 1));
}

Bytes RandomOp::bytes(int64_t count) {
  Bytes result(static_cast<size_t>(count));
  for (uint8_t& byte : result) byte = static_cast<uint8_t>(between(0, 255));
  return result;
}

// Powers of two now and then, where rounding ties occur.
float RandomOp::scale() {
  const float power = std::ldexp(1.0F, static_cast<int>(between(-9, -3)));
  if (between(0, 2) == 0) return power;
  return power * (1 + static_cast<float>(between(0, 9999)) / 10000.0F);
}

Shape RandomOp::shape(size_t lowest_rank, size_t highest_rank) {
  Shape result(static_cast<size_t>(
      between(static_cast<int64_t>(lowest_rank), static_cast<int64_t>(highest_rank))));
  for (int64_t& extent : result) extent = between(1, result.size() > 4 ? 3 : 6);
  return result;
}

Activation RandomOp::activation() {
  constexpr Activation kAll[] = {Activation::kNone, Activation::kRelu, Activation::kReluN1To1,
                                 Activation::kRelu6};
  return kAll[between(0, 3)];
}

Tensor RandomOp::tensor(DType type, Shape shape) {
  Tensor result{
      .name = "t", .shape = std::move(shape), .type = type, .quantization = {}, .data = nullptr};
  if (type == DType::kFloat32) return result;
  int32_t zero_point = 0;
  if (type == DType::kInt8) zero_point = static_cast<int32_t>(between(-128, 127));
  if (type == DType::kUInt8) zero_point = static_cast<int32_t>(between(0, 255));
  result.quantization = {{scale()}, {zero_point}, 0};
  return result;
}

Tensor RandomOp::weights(Shape shape, int channel_axis) {
  Tensor result = tensor(DType::kInt8, std::move(shape));
  result.quantization.zero_points = {0};
  const auto channels = static_cast<size_t>(result.shape[static_cast<size_t>(channel_axis)]);
  if (between(0, 1) == 0 && channels > 1) {
    result.quantization.axis = channel_axis;
    result.quantization.scales.clear();
    for (size_t o = 0; o < channels; ++o) result.quantization.scales.push_back(scale());
    result.quantization.zero_points.assign(channels, 0);
  }
  result.data = std::make_shared<Bytes>(bytes(elements(result.shape)));
  return result;
}

Tensor RandomOp::bias(int64_t channels) {
  std::vector<int32_t> values;
  for (int64_t o = 0; o < channels; ++o) {
    values.push_back(static_cast<int32_t>(between(-50000, 50000)));
  }
  Bytes data(values.size() * sizeof(int32_t));
  std::memcpy(data.data(), values.data(), data.size());
  Tensor result = tensor(DType::kInt32, {channels});
  result.data = std::make_shared<Bytes>(std::move(data));
  return result;
}

Window RandomOp::window(const Shape& x, Shape& out) {
  Window w{
      between(1, 4), between(1, 4), between(1, 3), between(1, 3), between(1, 2), between(1, 2), {}};
  auto place = [&](size_t axis, int64_t kernel, int64_t stride, int64_t dilation, int64_t& before,
                   int64_t& after) {
    const int64_t span = (kernel - 1) * dilation + 1;
    before = between(0, span - 1);
    after = std::max(between(0, span - 1), span - before - x[axis]);
    out[axis] = (x[axis] + before + after - span) / stride + 1;
  };
  place(1, w.kernel_h, w.stride_h, w.dilation_h, w.padding.top, w.padding.bottom);
  place(2, w.kernel_w, w.stride_w, w.dilation_w, w.padding.left, w.padding.right);
  return w;
}

Graph RandomOp::graph(Attributes attributes, std::vector<Tensor> inputs, Tensor output) {
  Graph result{
      .name = "random", .tensors = {}, .ops = {}, .inputs = {}, .outputs = {}, .states = {}};
  Op op{std::move(attributes), {}, {}, 0};
  for (Tensor& input : inputs) {
    const TensorId id{static_cast<int32_t>(result.tensors.size())};
    op.inputs.push_back(id);
    if (!input.is_constant()) result.inputs.push_back({id, {}});
    result.tensors.push_back(std::move(input));
  }
  op.outputs.push_back({static_cast<int32_t>(result.tensors.size())});
  result.outputs.push_back({op.outputs[0], {}});
  result.tensors.push_back(std::move(output));
  result.ops.push_back(std::move(op));
  return result;
}

Graph RandomOp::conv_2d() {
  const int64_t groups = between(0, 2) == 0 ? between(2, 3) : 1;
  const Shape x{between(1, 2), between(1, 7), between(1, 7), groups * between(1, 6)};
  Shape out{x[0], 0, 0, groups * between(1, 7)};
  const Window w = window(x, out);
  std::vector<Tensor> inputs{tensor(DType::kInt8, x),
                             weights({out[3], w.kernel_h, w.kernel_w, x[3] / groups}, 0)};
  if (between(0, 3) != 0) inputs.push_back(bias(out[3]));
  return graph(Conv2D{w, activation()}, std::move(inputs), tensor(DType::kInt8, out));
}

Graph RandomOp::depthwise_conv_2d() {
  const int64_t multiplier = between(0, 1) == 0 ? 1 : between(2, 9);
  const Shape x{between(1, 2), between(1, 7), between(1, 7), between(1, 7)};
  Shape out{x[0], 0, 0, multiplier * x[3]};
  Window w = window(x, out);
  if (between(0, 2) == 0) {  // the output may replace the input
    w = {3, 3, 1, 1, 1, 1, {1, 1, 1, 1}};
    out = {x[0], x[1], x[2], out[3]};
  }
  std::vector<Tensor> inputs{tensor(DType::kInt8, x),
                             weights({1, w.kernel_h, w.kernel_w, out[3]}, 3)};
  if (between(0, 3) != 0) inputs.push_back(bias(out[3]));
  return graph(DepthwiseConv2D{w, multiplier, activation()}, std::move(inputs),
               tensor(DType::kInt8, out));
}

Graph RandomOp::fully_connected() {
  const Shape x = shape(1, 6);
  const auto batch = static_cast<size_t>(between(0, static_cast<int64_t>(x.size()) - 1));
  const Shape rows(x.begin(), x.begin() + static_cast<int64_t>(batch));
  const int64_t depth = elements(x) / elements(rows);
  const int64_t channels = between(1, 9);
  Shape out{elements(rows), channels};
  if (between(0, 1) == 0 && !rows.empty()) {
    out = rows;
    out.push_back(channels);
  }
  std::vector<Tensor> inputs{tensor(DType::kInt8, x), weights({channels, depth}, 0)};
  if (between(0, 3) == 0) {  // weights that are an activation
    inputs[1] = tensor(DType::kInt8, {channels, depth});
    inputs[1].quantization.zero_points = {0};
  }
  if (between(0, 3) != 0) inputs.push_back(bias(channels));
  return graph(FullyConnected{activation()}, std::move(inputs), tensor(DType::kInt8, out));
}

Graph RandomOp::pool(bool average) {
  const Shape x{between(1, 2), between(1, 7), between(1, 7), between(1, 9)};
  Shape out = x;
  Window w = window(x, out);
  // No dilation, and every window holds an element of the input.
  w.dilation_h = w.dilation_w = 1;
  w.padding = {between(0, w.kernel_h - 1), between(0, w.kernel_h - 1), between(0, w.kernel_w - 1),
               between(0, w.kernel_w - 1)};
  auto place = [](int64_t extent, int64_t kernel, int64_t stride, int64_t before, int64_t& after) {
    after = std::max(after, kernel - before - extent);
    return (extent + before + after - kernel) / stride + 1;
  };
  out[1] = place(x[1], w.kernel_h, w.stride_h, w.padding.top, w.padding.bottom);
  out[2] = place(x[2], w.kernel_w, w.stride_w, w.padding.left, w.padding.right);
  const Tensor from = tensor(DType::kInt8, x);
  Tensor to = tensor(DType::kInt8, out);
  to.quantization = from.quantization;
  if (average) return graph(AveragePool2D{w, activation()}, {from}, to);
  return graph(MaxPool2D{w, activation()}, {from}, to);
}

Graph RandomOp::average_pool_2d() { return pool(true); }

Graph RandomOp::max_pool_2d() { return pool(false); }

Graph RandomOp::mean() {
  const Shape x = shape(1, 4);
  const bool keep = between(0, 1) == 0;
  Mean attributes;
  Shape out;
  for (size_t axis = 0; axis < x.size(); ++axis) {
    if (between(0, 1) == 0) {
      out.push_back(x[axis]);
      continue;
    }
    attributes.axes.push_back(static_cast<int>(axis));
    if (keep) out.push_back(1);
  }
  return graph(attributes, {tensor(DType::kInt8, x)}, tensor(DType::kInt8, out));
}

// One operand that is broadcast to `shape`, perhaps a constant.
Tensor RandomOp::addend(const Shape& shape) {
  Shape small = shape;
  for (int64_t& extent : small) {
    if (between(0, 3) == 0) extent = 1;
  }
  small.erase(
      small.begin(),
      small.begin() + (between(0, 2) == 0 ? between(0, static_cast<int64_t>(small.size())) : 0));
  Tensor result = tensor(DType::kInt8, small);
  if (between(0, 2) == 0) result.data = std::make_shared<Bytes>(bytes(elements(small)));
  return result;
}

Graph RandomOp::arithmetic(bool add) {
  const Shape out = shape(1, 6);
  std::vector<Tensor> inputs{tensor(DType::kInt8, out), addend(out)};
  if (between(0, 1) == 0) std::swap(inputs[0], inputs[1]);
  if (add) return graph(Add{activation()}, std::move(inputs), tensor(DType::kInt8, out));
  return graph(Mul{activation()}, std::move(inputs), tensor(DType::kInt8, out));
}

Graph RandomOp::add() { return arithmetic(true); }

Graph RandomOp::mul() { return arithmetic(false); }

Graph RandomOp::pad() {
  const Shape x = shape(1, 4);
  Pad attributes{{}, {}, static_cast<int32_t>(between(-128, 127))};
  Shape out = x;
  for (int64_t& extent : out) {
    attributes.before.push_back(between(0, 3));
    attributes.after.push_back(between(0, 3));
    extent += attributes.before.back() + attributes.after.back();
  }
  const Tensor from = tensor(DType::kInt8, x);
  Tensor to = from;
  to.shape = out;
  return graph(attributes, {from}, to);
}

Graph RandomOp::reshape() {
  constexpr DType kTypes[] = {DType::kInt8, DType::kInt16, DType::kFloat32};
  const Shape x = shape(1, 6);
  const Tensor from = tensor(kTypes[between(0, 2)], x);
  Tensor to = from;
  to.shape = {elements(x)};
  if (between(0, 1) == 0) to.shape = {1, elements(x) / x.back(), x.back()};
  return graph(Reshape{}, {from}, to);
}

Graph RandomOp::transpose() {
  constexpr DType kTypes[] = {DType::kInt8, DType::kInt16, DType::kFloat32};
  const Tensor from = tensor(kTypes[between(0, 2)], shape(1, 6));
  Transpose attributes;
  attributes.permutation.resize(from.shape.size());
  std::iota(attributes.permutation.begin(), attributes.permutation.end(), 0);
  for (size_t k = from.shape.size(); k > 1; --k) {
    std::swap(attributes.permutation[k - 1],
              attributes.permutation[static_cast<size_t>(between(0, static_cast<int64_t>(k) - 1))]);
  }
  Tensor to = from;
  for (size_t k = 0; k < to.shape.size(); ++k) {
    to.shape[k] = from.shape[static_cast<size_t>(attributes.permutation[k])];
  }
  return graph(attributes, {from}, to);
}

Graph RandomOp::softmax() {
  const Tensor from = tensor(DType::kInt8, shape(1, 4));
  Tensor to = from;
  to.quantization = {{0x1p-8F}, {-128}, 0};
  if (between(0, 1) == 0) {
    to.type = DType::kInt16;
    to.quantization = {{0x1p-16F}, {-32768}, 0};
  }
  constexpr float kBetas[] = {0.1F, 0.5F, 1, 2};
  return graph(Softmax{kBetas[between(0, 3)]}, {from}, to);
}

Graph RandomOp::relu() {
  const Shape x = shape(1, 6);
  return graph(Relu{}, {tensor(DType::kInt8, x)}, tensor(DType::kInt8, x));
}

Graph RandomOp::relu6() {
  const Tensor from = tensor(DType::kInt8, shape(1, 6));
  return graph(Relu6{}, {from}, from);
}

Graph RandomOp::quantize() {
  constexpr std::pair<DType, DType> kPairs[] = {
      {DType::kInt8, DType::kInt8},     {DType::kInt8, DType::kUInt8},
      {DType::kUInt8, DType::kInt8},    {DType::kInt8, DType::kInt16},
      {DType::kInt16, DType::kInt8},    {DType::kInt32, DType::kInt8},
      {DType::kInt16, DType::kInt32},   {DType::kFloat32, DType::kInt8},
      {DType::kFloat32, DType::kInt16},
  };
  const auto& [in, out] = kPairs[between(0, 8)];
  const Shape x = shape(1, 6);
  return graph(Quantize{}, {tensor(in, x)}, tensor(out, x));
}

Graph RandomOp::dequantize() {
  const Shape x = shape(1, 6);
  const DType type = between(0, 1) == 0 ? DType::kInt8 : DType::kInt16;
  return graph(Dequantize{}, {tensor(type, x)}, tensor(DType::kFloat32, x));
}

Graph RandomOp::concat() {
  Tensor to = tensor(DType::kInt8, shape(1, 6));
  const auto axis = static_cast<size_t>(between(0, static_cast<int64_t>(to.shape.size()) - 1));
  const int64_t parts = between(1, 4);
  std::vector<Tensor> inputs;
  to.shape[axis] = 0;
  for (int64_t k = 0; k < parts; ++k) {
    Tensor part = to;
    part.shape[axis] = between(1, 4);
    inputs.push_back(part);
  }
  for (const Tensor& part : inputs) to.shape[axis] += part.shape[axis];
  return graph(Concat{static_cast<int>(axis), Activation::kNone}, std::move(inputs), to);
}

}  // namespace thimble::testing
