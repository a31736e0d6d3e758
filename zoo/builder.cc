// SPDX-License-Identifier: Apache-2.0
// Layers to operators of a real network; shapes follow from thimble/operators.
#include "zoo/builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "thimble/model/error.h"
#include "thimble/model/same_padding.h"
#include "thimble/operators/operators.h"
#include "zoo/calibrate.h"

namespace thimble::zoo {
namespace {

Window window(const Shape& x, Size2D kernel, Size2D stride, Size2D dilation, Pads pads) {
  Window w{.kernel_h = kernel.h,
           .kernel_w = kernel.w,
           .stride_h = stride.h,
           .stride_w = stride.w,
           .dilation_h = dilation.h,
           .dilation_w = dilation.w};
  if (pads == Pads::kSame) w.padding = same_padding(w, x[1], x[2]);
  return w;
}

template <class T>
Bytes bytes_of(const std::vector<T>& values) {
  Bytes bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

/// Everything is a real number but indices and conditions.
DType output_type(const Graph& graph, const Attributes& attributes,
                  const std::vector<TensorId>& inputs) {
  if (std::holds_alternative<Comparison>(attributes)) return DType::kBool;
  const bool whole = graph.tensor(inputs[0]).type == DType::kInt32;
  return whole ? DType::kInt32 : DType::kFloat32;
}

}  // namespace

Builder::Builder(const std::string& name, uint64_t seed) : seed_(seed), random_(seed) {
  graph_.name = name;
}

std::string Builder::unique(const std::string& name) {
  std::string full = scope_.empty() ? name : scope_ + '/' + name;
  const int before = names_[full]++;
  return before == 0 ? full : fmt::format("{}_{}", full, before);
}

TensorId Builder::variable(const std::string& name, const Shape& shape, DType type) {
  graph_.tensors.push_back({unique(name), shape, type, {}, nullptr});
  return TensorId{static_cast<int32_t>(graph_.tensors.size()) - 1};
}

TensorId Builder::input(const Shape& shape) {
  const TensorId id = variable("input", shape, DType::kFloat32);
  graph_.inputs.push_back({id, {}});
  return id;
}

TensorId Builder::index_input() {
  const TensorId id = variable("input", {1}, DType::kInt32);
  graph_.inputs.push_back({id, {}});
  return id;
}

TensorId Builder::state(const std::string& name, const Shape& shape, DType type) {
  return variable(name, shape, type);
}

void Builder::keep(TensorId state, TensorId after) {
  graph_.states.push_back({state, after, nullptr});
}

TensorId Builder::constant(const std::string& name, const Shape& shape, DType type, Bytes data) {
  graph_.tensors.push_back({name, shape, type, {}, std::make_shared<const Bytes>(std::move(data))});
  return TensorId{static_cast<int32_t>(graph_.tensors.size()) - 1};
}

TensorId Builder::op(Attributes attributes, std::vector<TensorId> inputs, Shape shape) {
  const auto number = static_cast<int>(graph_.ops.size());
  const DType type = output_type(graph_, attributes, inputs);
  graph_.tensors.push_back({unique(snake_name(attributes)), std::move(shape), type, {}, nullptr});
  const TensorId id{static_cast<int32_t>(graph_.tensors.size()) - 1};
  graph_.ops.push_back({std::move(attributes), std::move(inputs), {id}, number});
  if (graph_.tensor(id).shape.empty()) {
    graph_.tensor(id).shape = output_shape(graph_, graph_.ops.back());
  }
  return id;
}

/// He's initialisation (uniform, fan-in), as int8 numbers with one scale; biases of about a tenth
/// of the activations that calibration will make of them.
TensorId Builder::weighted(TensorId x, Attributes attributes, const Shape& shape, int channel_axis,
                           Shape out) {
  const int64_t channels = shape[static_cast<size_t>(channel_axis)];
  const int64_t fan_in = elements(shape) / channels;
  Bytes weights(static_cast<size_t>(elements(shape)));
  for (uint8_t& w : weights) w = static_cast<uint8_t>(random_.between(-127, 127));
  Bytes bias;
  for (int64_t o = 0; o < channels; ++o) {
    const auto value = static_cast<float>(0.25 * (2 * random_.unit() - 1));
    const auto* bytes = reinterpret_cast<const uint8_t*>(&value);
    bias.insert(bias.end(), bytes, bytes + sizeof value);
  }
  const std::string name = scope_.empty() ? snake_name(attributes)
                                          : fmt::format("{}/{}", scope_, snake_name(attributes));
  const int same = names_[name];
  const std::string layer = same == 0 ? name : fmt::format("{}_{}", name, same);
  const TensorId w = constant(layer + "/weights", shape, DType::kInt8, std::move(weights));
  const double bound = std::sqrt(6.0 / static_cast<double>(fan_in));
  graph_.tensor(w).quantization = {
      .scales = std::vector<float>(static_cast<size_t>(channels), static_cast<float>(bound / 127)),
      .zero_points = std::vector<int32_t>(static_cast<size_t>(channels), 0),
      .axis = channel_axis};
  const TensorId b = constant(layer + "/bias", {channels}, DType::kFloat32, std::move(bias));
  return op(std::move(attributes), {x, w, b}, std::move(out));
}

TensorId Builder::conv(TensorId x, const ConvLayer& layer) {
  const Shape from = shape(x);
  const Window w = window(from, layer.kernel, layer.stride, layer.dilation, layer.pads);
  return weighted(x, Conv2D{w, layer.activation},
                  {layer.channels, layer.kernel.h, layer.kernel.w, from[3] / layer.groups}, 0);
}

TensorId Builder::depthwise(TensorId x, const DepthwiseLayer& layer) {
  const Shape from = shape(x);
  const Window w = window(from, layer.kernel, layer.stride, layer.dilation, layer.pads);
  return weighted(x, DepthwiseConv2D{w, layer.multiplier, layer.activation},
                  {1, layer.kernel.h, layer.kernel.w, from[3] * layer.multiplier}, 3);
}

TensorId Builder::transpose_conv(TensorId x, const TransposeConvLayer& layer) {
  const Shape from = shape(x);
  const Size2D kernel = layer.kernel, stride = layer.stride;
  const bool same = layer.pads == Pads::kSame;
  const Shape out{from[0], from[1] * stride.h + (same ? 0 : std::max(kernel.h - stride.h, {})),
                  from[2] * stride.w + (same ? 0 : std::max(kernel.w - stride.w, {})),
                  layer.channels};
  // That of the convolution which leads from the output to the input.
  Window w = window(out, kernel, stride, 1, layer.pads);
  w.padding.bottom = w.padding.right = 0;
  return weighted(x, TransposeConv{w, layer.activation},
                  {layer.channels, kernel.h, kernel.w, from[3]}, 0, out);
}

TensorId Builder::fully_connected(TensorId x, const FullyConnectedLayer& layer) {
  Shape out{1};
  if (layer.keep_axes) out.assign(shape(x).begin(), shape(x).end() - 1);
  const int64_t depth = elements(shape(x)) / elements(out);
  out.push_back(layer.channels);
  return weighted(x, FullyConnected{layer.activation}, {layer.channels, depth}, 0, out);
}

TensorId Builder::average_pool(TensorId x, const PoolLayer& layer) {
  return op(AveragePool2D{window(shape(x), layer.kernel, layer.stride, 1, layer.pads)}, {x});
}

TensorId Builder::max_pool(TensorId x, const PoolLayer& layer) {
  return op(MaxPool2D{window(shape(x), layer.kernel, layer.stride, 1, layer.pads)}, {x});
}

TensorId Builder::mean(TensorId x, bool keep) {
  const Shape from = shape(x);
  return op(Mean{{1, 2}}, {x}, keep ? Shape{from[0], 1, 1, from[3]} : Shape{from[0], from[3]});
}

TensorId Builder::add(TensorId a, TensorId b, Activation activation) {
  return op(Add{activation}, {a, b});
}

TensorId Builder::mul(TensorId a, TensorId b) { return op(Mul{}, {a, b}); }
TensorId Builder::sub(TensorId a, TensorId b) { return op(Sub{}, {a, b}); }
TensorId Builder::squared_difference(TensorId a, TensorId b) {
  return op(SquaredDifference{}, {a, b});
}
TensorId Builder::rsqrt(TensorId x) { return op(Rsqrt{}, {x}); }
TensorId Builder::gelu(TensorId x, bool approximate) { return op(Gelu{approximate}, {x}); }

TensorId Builder::mean_of_channels(TensorId x) {
  Shape out = shape(x);
  const int last = static_cast<int>(out.size()) - 1;
  out.back() = 1;
  return op(Mean{{last}}, {x}, out);
}

TensorId Builder::number(const std::string& name, float value) {
  return constant(unique(name), {}, DType::kFloat32, bytes_of(std::vector{value}));
}

TensorId Builder::vector(const std::string& name, int64_t channels, double least, double most) {
  std::vector<float> values(static_cast<size_t>(channels));
  for (float& value : values) value = static_cast<float>(least + (most - least) * random_.unit());
  return constant(unique(name), {channels}, DType::kFloat32, bytes_of(values));
}

TensorId Builder::zeros(const std::string& name, const Shape& extents) {
  const std::vector<float> values(static_cast<size_t>(elements(extents)), 0.0F);
  return constant(unique(name), extents, DType::kFloat32, bytes_of(values));
}

TensorId Builder::table(const std::string& name, const Shape& extents,
                        const std::vector<float>& values) {
  return constant(unique(name), extents, DType::kFloat32, bytes_of(values));
}

TensorId Builder::random_table(const std::string& name, const Shape& extents) {
  std::vector<float> values(static_cast<size_t>(elements(extents)));
  for (float& v : values) v = static_cast<float>(std::sqrt(3.0) * (2 * random_.unit() - 1));
  return table(name, extents, values);
}

TensorId Builder::integers(const std::string& name, const std::vector<int32_t>& values) {
  const Shape extents{static_cast<int64_t>(values.size())};
  return constant(unique(name), extents, DType::kInt32, bytes_of(values));
}

TensorId Builder::gather(TensorId x, TensorId indices) { return op(Gather{}, {x, indices}); }
TensorId Builder::update_slice(TensorId x, TensorId update, TensorId begins) {
  return op(UpdateSlice{}, {x, update, begins});
}
TensorId Builder::compare(Relation relation, TensorId a, TensorId b) {
  return op(Comparison{relation}, {a, b});
}
TensorId Builder::select(TensorId condition, TensorId x, TensorId y) {
  return op(Select{}, {condition, x, y});
}

TensorId Builder::batch_matmul(TensorId x, TensorId y, bool adjoint_y) {
  return op(BatchMatMul{.adjoint_x = false, .adjoint_y = adjoint_y}, {x, y});
}
TensorId Builder::relu(TensorId x) { return op(Relu{}, {x}); }
TensorId Builder::prelu(TensorId x, TensorId alpha) { return op(Prelu{}, {x, alpha}); }
TensorId Builder::softmax(TensorId x) { return op(Softmax{}, {x}); }

TensorId Builder::concat(const std::vector<TensorId>& inputs, int axis) {
  check(!inputs.empty(), "concat: no inputs");
  return op(Concat{axis}, inputs);
}

TensorId Builder::pad(TensorId x, const std::vector<int64_t>& before,
                      const std::vector<int64_t>& after) {
  return op(Pad{before, after}, {x});
}

TensorId Builder::upsample(TensorId x, const Shape& image) {
  const Shape from = shape(x);
  return op(ResizeNearestNeighbor{.half_pixel_centers = true}, {x},
            {from[0], image.at(1), image.at(2), from[3]});
}

TensorId Builder::upsample_bilinear(TensorId x, const Shape& image, bool align_corners) {
  const Shape from = shape(x);
  return op(ResizeBilinear{.align_corners = align_corners, .half_pixel_centers = !align_corners},
            {x}, {from[0], image.at(1), image.at(2), from[3]});
}

TensorId Builder::quantize(TensorId x) { return op(Quantize{}, {x}); }
TensorId Builder::dequantize(TensorId x) { return op(Dequantize{}, {x}); }
TensorId Builder::sigmoid(TensorId x) { return op(Logistic{}, {x}); }

TensorId Builder::slice(TensorId x, const std::vector<int64_t>& begin, const Shape& extents) {
  return op(Slice{begin, std::vector<int64_t>(begin.size(), 1), {}}, {x}, extents);
}

TensorId Builder::reshape(TensorId x, const Shape& to) { return op(Reshape{}, {x}, to); }

TensorId Builder::transpose(TensorId x, const std::vector<int>& permutation) {
  return op(Transpose{permutation}, {x});
}

Graph Builder::finish(const std::vector<TensorId>& outputs) {
  for (const TensorId t : outputs) graph_.outputs.push_back({t, {}});
  Graph result = calibrated(std::move(graph_), seed_);
  check_graph(result);
  for (const Op& o : result.ops) {
    const std::string reason = unsupported_reason(result, o);
    if (!reason.empty())
      throw CompileError(
          "zoo:" + result.name,
          fmt::format("with these parameters {} is not supported: {}", label(o), reason));
  }
  return result;
}

}  // namespace thimble::zoo
