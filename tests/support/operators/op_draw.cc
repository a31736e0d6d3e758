// SPDX-License-Identifier: Apache-2.0
#include "tests/support/operators/op_draw.h"

#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "thimble/operators/operators.h"

namespace thimble::testing {

Bytes random_bytes_of(DType type, int64_t count, double float_range, zoo::Random& random) {
  Bytes bytes(static_cast<size_t>(count * size_bytes(type)));
  if (type == DType::kFloat32) {
    for (size_t i = 0; i < bytes.size(); i += sizeof(float)) {
      const auto value = static_cast<float>((2 * random.unit() - 1) * float_range);
      std::memcpy(&bytes[i], &value, sizeof value);
    }
    return bytes;
  }
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random.next() >> 56);
  if (type == DType::kBool) {
    for (uint8_t& byte : bytes) byte &= 1;
  }
  return bytes;
}

Graph OpDraw::network(const Attributes& kind) {
  std::visit([&](const auto& a) { make(a); }, kind);
  graph_.name = snake_name(kind);
  for (size_t t = 0; t + 1 < graph_.tensors.size(); ++t) {
    if (!graph_.tensors[t].is_constant())
      graph_.inputs.push_back({TensorId{static_cast<int32_t>(t)}, {}});
  }
  graph_.outputs.push_back({graph_.ops[0].outputs[0], {}});
  return graph_;
}

Shape OpDraw::some_shape(int64_t lowest_rank, int64_t highest_rank) {
  Shape shape(static_cast<size_t>(some(lowest_rank, highest_rank)));
  for (int64_t& extent : shape) extent = some(1, shape.size() > 4 ? 4 : 6);
  return shape;
}

Quantization OpDraw::int8_quantization() {
  const double scale =
      maybe(0.3) ? std::ldexp(1.0, static_cast<int>(some(-8, -3))) : 0.004 + 0.1 * random_.unit();
  const int64_t zero_point = maybe(0.2) ? (maybe(0.5) ? -128 : 127) : some(-128, 127);
  return {{static_cast<float>(scale)}, {static_cast<int32_t>(zero_point)}, 0};
}

TensorId OpDraw::tensor(const Shape& shape, DType type, const Quantization& q) {
  graph_.tensors.push_back({"t" + std::to_string(graph_.tensors.size()), shape, type, q, nullptr});
  return TensorId{static_cast<int32_t>(graph_.tensors.size()) - 1};
}

void OpDraw::fill(TensorId t) {
  Tensor& target = graph_.tensor(t);
  target.data = std::make_shared<const Bytes>(
      random_bytes_of(target.type, elements(target.shape), 1, random_));
}

TensorId OpDraw::maybe_constant(TensorId t, double probability) {
  if (maybe(probability)) fill(t);
  return t;
}

void OpDraw::op(Attributes attributes, std::vector<TensorId> inputs, DType type,
                const Quantization& q, const std::optional<Shape>& shape) {
  const TensorId out = tensor(shape.value_or(Shape{}), type, q);
  graph_.ops.push_back({std::move(attributes), std::move(inputs), {out}, 0});
  if (!shape) graph_.tensor(out).shape = output_shape(graph_, graph_.ops[0]);
}

Window OpDraw::window(int64_t most_dilation) {
  Window w{.kernel_h = some(1, 4),
           .kernel_w = some(1, 4),
           .stride_h = some(1, 3),
           .stride_w = some(1, 3),
           .dilation_h = some(1, most_dilation),
           .dilation_w = some(1, most_dilation),
           .padding = {}};
  if (maybe(0.6)) {
    auto side = [&](int64_t kernel, int64_t dilation) { return some(0, (kernel - 1) * dilation); };
    w.padding = {side(w.kernel_h, w.dilation_h), side(w.kernel_h, w.dilation_h),
                 side(w.kernel_w, w.dilation_w), side(w.kernel_w, w.dilation_w)};
  }
  return w;
}

int32_t OpDraw::extreme_bias(const Tensor& x, const Tensor& weights, int axis, size_t channel) {
  const int64_t half = x.type == DType::kInt16 ? 32768 : 128, zero = x.quantization.zero_points[0];
  const int64_t lowest = -half - zero, highest = half - 1 - zero;
  int64_t low = 0, high = 0, inner = 1;
  for (size_t k = static_cast<size_t>(axis) + 1; k < weights.shape.size(); ++k)
    inner *= weights.shape[k];
  const auto channels = static_cast<size_t>(weights.shape[static_cast<size_t>(axis)]);
  for (size_t k = 0; k < weights.data->size(); ++k) {
    if (k / static_cast<size_t>(inner) % channels != channel) continue;
    const auto weight = static_cast<int8_t>((*weights.data)[k]);
    low += std::min(weight * lowest, weight * highest);
    high += std::max(weight * lowest, weight * highest);
  }
  return static_cast<int32_t>(maybe(0.5) ? INT32_MIN - low : INT32_MAX - high);
}

std::vector<TensorId> OpDraw::weighted(TensorId x, const Shape& shape, int axis,
                                       const Quantization& out) {
  const int64_t channels = shape[static_cast<size_t>(axis)];
  const int64_t depth = elements(shape) / channels;
  const double gain = 1 / (100 * std::sqrt(static_cast<double>(depth)));
  Quantization q{.axis = axis};
  const int64_t scales = maybe(0.5) ? channels : 1;
  for (int64_t i = 0; i < scales; ++i) {
    const double scale = gain * (0.5 + random_.unit()) * out.scales[0];
    q.scales.push_back(static_cast<float>(scale / at(x).quantization.scales[0]));
    q.zero_points.push_back(0);
  }
  const TensorId weights = tensor(shape, DType::kInt8, q);
  fill(weights);
  std::vector<TensorId> inputs{x, weights};
  const bool wide = at(x).type == DType::kInt16 && maybe(0.5);
  if (maybe(0.7)) {
    std::vector<int32_t> values;
    for (int64_t o = 0; o < channels; ++o) {
      values.push_back(static_cast<int32_t>((100 * random_.unit() - 50) / gain));
    }
    if (!wide && maybe(0.2)) {
      const auto o = static_cast<size_t>(some(0, channels - 1));
      values[o] = extreme_bias(at(x), at(weights), axis, o);
      if (scales > 1 && maybe(0.5)) graph_.tensor(weights).quantization.scales[o] = 3.1e-22F;
    }
    Bytes bytes(values.size() * sizeof(int32_t));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    if (wide) {
      const std::vector<int64_t> longer(values.begin(), values.end());
      bytes.resize(longer.size() * sizeof(int64_t));
      std::memcpy(bytes.data(), longer.data(), bytes.size());
    }
    inputs.push_back(tensor({channels}, wide ? DType::kInt64 : DType::kInt32, {}));
    graph_.tensor(inputs.back()).data = std::make_shared<const Bytes>(std::move(bytes));
  }
  return inputs;
}

TensorId OpDraw::some_tensor(const Shape& shape) {
  const DType type = some_activation();
  return tensor(shape, type, quantization_of(type));
}

TensorId OpDraw::copied(const Shape& shape) {
  static constexpr DType kTypes[] = {DType::kInt8,  DType::kInt8,  DType::kUInt8,
                                     DType::kInt16, DType::kInt32, DType::kFloat32};
  const DType type = kTypes[some(0, 5)];
  return tensor(shape, type, type == DType::kInt8 ? int8_quantization() : Quantization{});
}

Quantization OpDraw::quantization_of(DType type) {
  Quantization q = int8_quantization();
  switch (type) {
    case DType::kInt8:
      break;
    case DType::kUInt8:
      q.zero_points[0] += 128;
      break;
    case DType::kInt16:
      q = {{q.scales[0] / 256}, {0}, 0};
      break;
    case DType::kInt32:
      q = {{std::ldexp(q.scales[0], -24)}, {0}, 0};
      break;
    case DType::kBool:
    case DType::kUInt32:
    case DType::kInt64:
    case DType::kUInt64:
    case DType::kFloat32:
      q = {};
      break;
  }
  return q;
}

TensorId OpDraw::symmetric(const Shape& shape, DType type, float scale) {
  const TensorId t = tensor(shape, type, {{scale}, {0}, 0});
  fill(t);
  return t;
}

Quantization OpDraw::quantization_of_sums(float product, int64_t count) {
  Quantization q = int8_quantization();
  q.scales[0] = product * static_cast<float>(60 * std::sqrt(static_cast<double>(count)));
  return q;
}

}  // namespace thimble::testing
