// SPDX-License-Identifier: Apache-2.0
// Sums over windows, and what is made of them.
#include "thimble/quantise/rounding.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "tests/support/random_network.h"
#include "tests/support/real_network.h"
#include "tests/support/test_graph.h"
#include "thimble/quantise/noise.h"
#include "thimble/quantise/patch_sums.h"
#include "thimble/quantise/scales.h"
#include "thimble/reference/elements.h"
#include "thimble/reference/interpreter.h"

namespace thimble {
namespace {

using testing::TestGraph;

double error_of(const std::vector<double>& moments, const std::vector<double>& pull,
                const std::vector<double>& v, const std::vector<int32_t>& q) {
  double error = 0;
  for (size_t k = 0; k < v.size(); ++k) {
    for (size_t j = 0; j < v.size(); ++j)
      error += (q[k] - v[k]) * moments[k * v.size() + j] * (q[j] - v[j]);
    error -= 2 * (q[k] - v[k]) * pull[k];
  }
  return error;
}

TEST(LeastErrorIntegers, AreTheNearestOnesOfPlacesThatHaveNothingInCommon) {
  const std::vector<double> moments = {2, 0, 0, 0, 3, 0, 0, 0, 0};
  const std::vector<double> none(3);
  EXPECT_EQ(least_error_integers(moments, none, {1.4, -2.6, 0.7}, 7), (std::vector{1, -3, 1}));
  EXPECT_EQ(least_error_integers(moments, none, {9.4, -12, 0.7}, 7), (std::vector{7, -7, 1}));
  // What is lost before the layer may be made up for, by rounding the other way.
  EXPECT_EQ(least_error_integers(moments, {0.6, 0, 0}, {1.4, -2.6, 0.7}, 7),
            (std::vector{2, -3, 1}));
  EXPECT_EQ(least_error_integers(moments, {100, 0, 0}, {1.4, -2.6, 0.7}, 7),
            (std::vector{2, -3, 1}));
}

TEST(LeastErrorIntegers, MakeUpForOneAnother) {
  // Two places that always hold the same number: 0.4 + 0.4 is nearer to 1 than to 0.
  const std::vector<double> moments = {1.01, 1, 1, 1.01};
  const std::vector<int32_t> q = least_error_integers(moments, {0, 0}, {0.4, 0.4}, 7);
  EXPECT_EQ(q[0] + q[1], 1);
}

TEST(LeastErrorIntegers, AreNoWorseThanTheNearestAndNoChangeOfOneIsBetter) {
  constexpr size_t kPlaces = 12;
  for (int seed = 0; seed < 50; ++seed) {
    std::vector<double> moments(kPlaces * kPlaces), v(kPlaces), pull(kPlaces);
    for (int n = 0; n < 20; ++n) {
      std::vector<double> x(kPlaces);
      for (size_t k = 0; k < kPlaces; ++k)
        x[k] = std::sin(seed + 3.1 * n + static_cast<double>(k * (k + 1)) / 3) + 0.5;
      for (size_t k = 0; k < kPlaces; ++k)
        for (size_t j = 0; j < kPlaces; ++j) moments[k * kPlaces + j] += x[k] * x[j];
    }
    std::vector<int32_t> nearest(kPlaces);
    for (size_t k = 0; k < kPlaces; ++k) {
      pull[k] = 2 * std::sin(static_cast<double>(k) + seed);
      v[k] = 6 * std::cos(seed * 7 + static_cast<double>(k));
      nearest[k] = static_cast<int32_t>(std::round(v[k]));
    }
    std::vector<int32_t> q = least_error_integers(moments, pull, v, 7);
    const double error = error_of(moments, pull, v, q);
    EXPECT_LE(error, error_of(moments, pull, v, nearest) + 1e-9);
    for (size_t k = 0; k < kPlaces; ++k) {
      EXPECT_LE(std::abs(q[k]), 7);
      EXPECT_LT(std::abs(q[k] - v[k]), 1);
      for (const int step : {-1, 1}) {
        if (std::abs(q[k] + step) > 7 || std::abs(q[k] + step - v[k]) >= 1) continue;
        q[k] += step;
        EXPECT_GE(error_of(moments, pull, v, q), error - 1e-6);
        q[k] -= step;
      }
    }
  }
}

/// Padding, strides, dilation, depthwise, dense: sums by the layer itself. A weight of 1 at a place
/// and 0 elsewhere makes of the layer's sum what the window holds there.
bool dense(const Op& op) { return std::holds_alternative<FullyConnected>(op.attributes); }

TEST(PatchSums, AreThoseOfTheWindowsThatTheLayerReads) {
  TestGraph net(3);
  const TensorId x = net.input({1, 5, 7, 3});
  const TensorId y = net.depthwise(net.conv(x, 4, 3, 2), 3, 1);
  net.output(net.fully_connected(y, 5));
  const Graph graph = net.graph();
  const std::vector<Bytes> inputs = testing::noise(graph, 5);
  const TensorValues values = interpret(graph, inputs);
  for (const Op& op : graph.ops) {
    if (!PatchSums::knows(op)) continue;
    SCOPED_TRACE(label(op));
    PatchSums sums(graph, op, true);
    // The float network has half a step more at every place.
    const Tensor& x_tensor = graph.tensor(op.inputs[0]);
    RealValues beyond = dequantised(x_tensor, values[op.inputs[0].index()]);
    for (float& value : beyond) value += x_tensor.quantization.scales[0] / 2;
    sums.add(values[op.inputs[0].index()], beyond);
    const Tensor& weights = graph.tensor(op.inputs[1]);
    const auto numbers = reference::elements_from<int8_t>(*weights.data);
    const auto bias = reference::elements_from<int32_t>(*graph.tensor(op.inputs[2]).data);
    const bool last = std::holds_alternative<DepthwiseConv2D>(op.attributes);
    const size_t outputs = static_cast<size_t>(last ? weights.shape.back() : weights.shape[0]);
    // The mean of the real outputs without activation is what means of places and weights give.
    Graph linear = graph;
    Op alone = op;
    std::visit(
        [](auto& a) {
          if constexpr (requires { a.activation; }) a.activation = Activation::kNone;
        },
        alone.attributes);
    Tensor& out = linear.tensor(op.outputs[0]);
    const float x_scale = graph.tensor(op.inputs[0]).quantization.scales[0];
    out.quantization = one_scale(x_scale * weights.quantization.scales[0] * 4096, 0);
    const Bytes result = interpret_op(linear, alone, values)[0];
    const RealValues real = dequantised(out, result);
    for (size_t o = 0; o < outputs; ++o) {
      double expected = 0, got = bias[o];
      const size_t count = real.size() / outputs;
      for (size_t i = 0; i < count; ++i) expected += real[i * outputs + o];
      for (size_t k = 0; k < sums.places(); ++k) {
        const size_t at = last ? k * outputs + o : o * sums.places() + k;
        got += numbers[at] * sums.mean(sums.group_of(o), k);
        // In padding both have zeros.
        EXPECT_LE(sums.mean_drift(sums.group_of(o), k), 0.5);
        EXPECT_GE(sums.mean_drift(sums.group_of(o), k), dense(op) ? 0.5 : 0.2);
      }
      const float scale = weights.quantization.scales[weights.quantization.per_channel() ? o : 0];
      EXPECT_NEAR(got * x_scale * scale, expected / static_cast<double>(count),
                  out.quantization.scales[0] * 0.51);
    }
  }
}

/// A network of random weights, in samples and quantised.
struct Example {
  Graph real;
  std::vector<std::vector<Bytes>> samples;
  Quantised made;

  explicit Example(Format format) {
    TestGraph net(11);
    const TensorId x = net.conv(net.input({1, 8, 8, 4}), 8, 3, 1);
    net.output(net.fully_connected(net.depthwise(x, 3, 1), 6));
    real = testing::real_network(net.graph()).value();
    Ranges ranges;
    for (uint64_t seed = 0; seed < 12; ++seed) {
      std::vector<float> numbers(8 * 8 * 4);
      for (size_t k = 0; k < numbers.size(); ++k)
        numbers[k] = 2 + std::sin(static_cast<float>(k / 3 + 17 * seed));
      Bytes bytes(numbers.size() * sizeof(float));
      std::memcpy(bytes.data(), numbers.data(), bytes.size());
      samples.push_back({bytes});
      include(ranges, observed_ranges(real, samples.back()));
    }
    made = quantised(real, ranges,
                     {.ports = DType::kFloat32, .formats = Formats(real.ops.size(), format)});
  }
  void refine(bool rounds) { refine_layers(made, real, samples, samples, {rounds, 2}); }
  [[nodiscard]] Noise noise() const {
    Noise all;
    for (const std::vector<Bytes>& inputs : samples) {
      const TensorValues expected = interpret(real, inputs), got = interpret(made.graph, inputs);
      const TensorId a = real.outputs[0].tensor, b = made.graph.outputs[0].tensor;
      all.add(dequantised(real.tensor(a), expected[a.index()]),
              dequantised(made.graph.tensor(b), got[b.index()]));
    }
    return all;
  }
};

TEST(Rounding, ByErrorLeavesLessNoise) {
  for (const Format format : {Format::kInt4, Format::kInt16}) {
    Example nearest(format), corrected(format), rounded(format);
    corrected.refine(false);
    rounded.refine(true);
    check_graph(rounded.made.graph);
    EXPECT_LT(corrected.noise().noise, 0.8 * nearest.noise().noise) << name(format);
    EXPECT_LT(rounded.noise().noise, 0.5 * nearest.noise().noise) << name(format);
    EXPECT_LT(rounded.noise().noise, corrected.noise().noise) << name(format);
  }
}

/// Whatever the number of threads, and in whatever order.
TEST(Rounding, IsTheSameInWhateverOrderInferencesCome) {
  Example once(Format::kInt4), other(Format::kInt4);
  once.refine(true);
  std::ranges::reverse(other.samples);
  refine_layers(other.made, other.real, other.samples, other.samples, {true, 1});
  EXPECT_EQ(once.made.graph, other.made.graph);
}

}  // namespace
}  // namespace thimble
