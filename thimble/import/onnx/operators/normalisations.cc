// SPDX-License-Identifier: Apache-2.0
// Normalisations: by constants that were measured, or by what the values themselves are.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "thimble/import/onnx/along_axis.h"

namespace thimble::onnx {
namespace {

// A vector along an axis of a value with so many.
Value along(const Reading& r, const std::vector<float>& numbers, size_t axis, size_t rank) {
  Shape shape(rank, 1);
  shape[axis] = std::ssize(numbers);
  return r.known(constant_of(shape, numbers));
}

std::vector<float> per_channel(const Reading& r, size_t input, const char* what) {
  const Constant& given = r.constant(input, what);
  if (r.input(0).rank() < 2 || given.size() != r.input(0).shape[1])
    r.node.damaged(fmt::format("{} of {}", what, to_string(given.shape)));
  return reals(given);
}

// Weights that are scaled along an axis, which has a channel for each of them.
std::vector<float> scaled_along(const Tensor& weights, const std::vector<float>& scale,
                                size_t axis) {
  std::vector<float> values =
      reals({.type = weights.type, .shape = weights.shape, .data = weights.data});
  size_t inner = 1;
  for (size_t k = axis + 1; k < weights.shape.size(); ++k)
    inner *= static_cast<size_t>(weights.shape[k]);
  for (size_t k = 0; k < values.size(); ++k) values[k] *= scale[k / inner % scale.size()];
  return values;
}

// Whether the layer in front does it, in weights and a bias of its own.
bool is_in_weights(const Reading& r, const std::vector<float>& scale,
                   const std::vector<float>& bias) {
  Op* op = r.maker(0);
  if (op == nullptr) return false;
  std::optional<size_t> axis;
  bool clamps = false;
  std::visit(
      [&](const auto& kind) {
        using Kind = std::remove_cvref_t<decltype(kind)>;
        if constexpr (kIsOneOf<Kind, Conv2D, TransposeConv, FullyConnected>) axis = 0;
        if constexpr (std::is_same_v<Kind, DepthwiseConv2D>) axis = 3;
        if constexpr (kIsOneOf<Kind, Conv2D, TransposeConv, FullyConnected, DepthwiseConv2D>)
          clamps = kind.activation != Activation::kNone;
      },
      op->attributes);
  if (!axis || clamps || op->inputs.size() < 2) return false;
  const Tensor weights = r.network[op->inputs[1]];
  if (!weights.is_constant() || weights.type != DType::kFloat32 ||
      weights.shape[*axis] != std::ssize(scale))
    return false;
  std::vector<float> sums = bias;
  if (op->inputs.size() == 3) {
    const Tensor& before = r.network[op->inputs[2]];
    const std::vector<float> given =
        reals({.type = before.type, .shape = before.shape, .data = before.data});
    for (size_t c = 0; c < sums.size(); ++c) sums[c] += given[c] * scale[c];
  }
  const TensorId scaled = r.network.constant(
      constant_of(weights.shape, scaled_along(weights, scale, *axis)), weights.name);
  const TensorId added =
      r.network.constant(constant_of({std::ssize(sums)}, sums), weights.name + "/bias");
  // The operators may have moved.
  op = r.maker(0);
  op->inputs[1] = scaled;
  op->inputs.resize(2);
  op->inputs.push_back(added);
  return true;
}

void batch(Reading& r) {
  if (r.node.whole("training_mode", 0) != 0) r.node.refuse("is not supported in training mode");
  for (size_t k = 1; k < r.node.record->outputs.size(); ++k)
    if (r.wants(k) && r.node.opset >= 14)
      r.node.refuse("is not supported with statistics as outputs");
  const Value& x = r.input(0);
  std::vector<float> scale = per_channel(r, 1, "scales"), bias = per_channel(r, 2, "biases");
  const std::vector<float> mean = per_channel(r, 3, "means"),
                           variance = per_channel(r, 4, "variances");
  const float epsilon = r.node.real("epsilon", 1e-5F);
  for (size_t c = 0; c < scale.size(); ++c) {
    scale[c] /= std::sqrt(variance[c] + epsilon);
    bias[c] -= mean[c] * scale[c];
  }
  if (is_in_weights(r, scale, bias)) return r.make(0, x);
  const Value scaled = r.each(Mul{}, x, along(r, scale, 1, x.rank()));
  r.make(0, r.each(Add{}, scaled, along(r, bias, 1, x.rank())));
}

Value mean_over(const Reading& r, const Value& x, const std::vector<int>& axes) {
  const Value from = r.settled(x);
  Mean kind;
  Shape shape = x.shape;
  for (size_t k = 0; k < from.order.size(); ++k) {
    if (std::ranges::find(axes, from.order[k]) == axes.end()) continue;
    kind.axes.push_back(static_cast<int>(k));
    shape[static_cast<size_t>(from.order[k])] = 1;
  }
  return r.value(kind, {from.tensor}, x.type, shape, from.order);
}

/// A value less its mean, over its deviation; and both of these.
struct Normal {
  Value value, mean, inverse_deviation;
};

// Along axes; less its mean only if centred.
Normal normal_of(const Reading& r, const Value& x, const std::vector<int>& axes, float epsilon,
                 bool centred) {
  Normal normal;
  Value centre = x;
  if (centred) {
    normal.mean = mean_over(r, x, axes);
    centre = r.each(Sub{}, x, normal.mean);
  }
  const Value variance = mean_over(r, r.each(Elementwise{Function::kSquare}, centre), axes);
  normal.inverse_deviation = r.each(Rsqrt{}, r.each(Add{}, variance, r.number(epsilon)));
  normal.value = r.each(Mul{}, centre, normal.inverse_deviation);
  return normal;
}

Value normalised(const Reading& r, const Value& x, const std::vector<int>& axes, float epsilon,
                 bool centred) {
  return normal_of(r, x, axes, epsilon, centred).value;
}

std::vector<int> axes_from(size_t first, size_t rank) {
  std::vector<int> axes(rank - first);
  std::iota(axes.begin(), axes.end(), static_cast<int>(first));
  return axes;
}

void instance(Reading& r) {
  const Value& x = r.input(0);
  const std::vector<float> scale = per_channel(r, 1, "scales"), bias = per_channel(r, 2, "biases");
  const Value normal =
      normalised(r, x, axes_from(2, x.rank()), r.node.real("epsilon", 1e-5F), true);
  const Value scaled = r.each(Mul{}, normal, along(r, scale, 1, x.rank()));
  r.make(0, r.each(Add{}, scaled, along(r, bias, 1, x.rank())));
}

template <bool kCentred>
void layer(Reading& r) {
  const Value& x = r.input(0);
  const size_t axis = r.node.axis(r.node.whole("axis", -1), x.rank());
  Normal normal =
      normal_of(r, x, axes_from(axis, x.rank()), r.node.real("epsilon", 1e-5F), kCentred);
  Value result = r.each(Mul{}, normal.value, r.input(1));
  if (r.has(2)) result = r.each(Add{}, result, r.input(2));
  r.make(0, std::move(result));
  if (kCentred && r.wants(1)) r.make(1, std::move(normal.mean));
  if (r.wants(kCentred ? 2 : 1)) r.make(kCentred ? 2 : 1, std::move(normal.inverse_deviation));
}

void group(Reading& r) {
  const Value& x = r.input(0);
  const int64_t groups = r.node.whole("num_groups", 0);
  if (x.rank() < 3 || groups < 1 || x.shape[1] % groups != 0)
    r.node.damaged(fmt::format("{} groups of {}", groups, to_string(x.shape)));
  const int64_t each = x.shape[1] / groups;
  const auto parameters = [&](size_t input, const char* what) {
    std::vector<float> numbers = reals(r.constant(input, what));
    if (std::ssize(numbers) == groups && groups != x.shape[1]) {
      std::vector<float> channels;  // before opset 21: for each group
      for (const float number : numbers)
        channels.insert(channels.end(), static_cast<size_t>(each), number);
      numbers = std::move(channels);
    }
    if (std::ssize(numbers) != x.shape[1])
      r.node.damaged(fmt::format("{} of other channels", what));
    return numbers;
  };
  Value apart{.type = x.type,
              .shape = {x.shape[0], groups, elements(x.shape) / x.shape[0] / groups}};
  apart.reshaped = std::make_shared<const Value>(x.reshaped == nullptr ? x : *x.reshaped);
  const Value normal = normalised(r, apart, {2}, r.node.real("epsilon", 1e-5F), true);
  Value together{.type = x.type, .shape = x.shape};
  together.reshaped = std::make_shared<const Value>(normal);
  const Value scaled = r.each(Mul{}, together, along(r, parameters(1, "scales"), 1, x.rank()));
  r.make(0, r.each(Add{}, scaled, along(r, parameters(2, "biases"), 1, x.rank())));
}

void mean_variance(Reading& r) {
  const Value& x = r.input(0);
  const std::vector<int> axes = r.node.axes(r.node.wholes("axes", {0, 2, 3}), x.rank());
  const Value centre = r.each(Sub{}, x, mean_over(r, x, axes));
  const Value variance = mean_over(r, r.each(Elementwise{Function::kSquare}, centre), axes);
  const Value deviation = r.each(Elementwise{Function::kSqrt}, variance);
  r.make(0, r.each(Div{}, centre, r.each(Add{}, deviation, r.number(1e-9F))));
}

void lp(Reading& r) {
  const Value& x = r.input(0);
  const size_t axis = r.node.axis(r.node.whole("axis", -1), x.rank());
  const int64_t p = r.node.whole("p", 2);
  if (p != 1 && p != 2) r.node.damaged(fmt::format("p is {}", p));
  const Value powers = p == 2 ? r.each(Elementwise{Function::kSquare}, x) : r.each(Abs{}, x);
  const Value mean = mean_over(r, powers, {static_cast<int>(axis)});
  const Value sum = r.each(Mul{}, mean, r.number(static_cast<float>(x.shape[axis])));
  const Value norm = p == 2 ? r.each(Elementwise{Function::kSqrt}, sum) : sum;
  r.make(0, r.each(Div{}, x, r.each(Maximum{}, norm, r.number(1e-30F))));  // 0 of zeros
}

// x / (bias + alpha m)^beta, m the mean of the squares of neighbouring channels, zeros beyond.
void local_response(Reading& r) {
  const Value& x = r.input(0);
  const int64_t size = r.node.whole("size", 0);
  if (x.rank() < 2 || size < 1 || size > 65535) r.node.damaged(fmt::format("{} neighbours", size));
  const Lines lines = lines_of(r, x, {.axes = {1}, .shape = {}});
  const Shape image = {1, lines.count, lines.length, 1};
  const Value channels = r.value(Reshape{}, {lines.tensor}, x.type, image, same_order(4));
  const Value squares = r.each(Elementwise{Function::kSquare}, channels);
  const Pad zeros{.before = {0, 0, (size - 1) / 2, 0}, .after = {0, 0, size / 2, 0}};
  const TensorId padded = r.network.make(r.node, zeros, {squares.tensor}, x.type,
                                         {1, lines.count, lines.length + size - 1, 1});
  const Value means =
      r.value(AveragePool2D{.window = {.kernel_w = size}}, {padded}, x.type, image, same_order(4));
  const Value scaled = r.each(Mul{}, means, r.number(r.node.real("alpha", 1e-4F)));
  const Value sum = r.each(Add{}, scaled, r.number(r.node.real("bias", 1)));
  const Value factor = r.each(Pow{}, sum, r.number(-r.node.real("beta", 0.75F)));
  const Value response =
      r.value(Reshape{}, {factor.tensor}, x.type, x.shape, channels_last(x.rank()));
  r.make(0, r.each(Mul{}, response, x));
}

}  // namespace

const ReadNodes& normalisation_operators() {
  static const ReadNodes all = {{"BatchNormalization", batch},
                                {"GroupNormalization", group},
                                {"InstanceNormalization", instance},
                                {"LRN", local_response},
                                {"LayerNormalization", layer<true>},
                                {"LpNormalization", lp},
                                {"MeanVarianceNormalization", mean_variance},
                                {"RMSNormalization", layer<false>},
                                {"SimplifiedLayerNormalization", layer<false>}};
  return all;
}

}  // namespace thimble::onnx
