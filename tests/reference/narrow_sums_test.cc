// SPDX-License-Identifier: Apache-2.0
// Sums of 16 and 8 bits on values small enough to add by hand, and the scales they get.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/reference/one_op.h"
#include "tests/support/random_network.h"
#include "tests/support/test_graph.h"
#include "thimble/reference/partial_sums.h"

namespace thimble::testing {
namespace {

using ::testing::ElementsAre;

/// One output element: x times ones, all scales 1 but the accumulator's.
int8_t summed(const std::vector<int8_t>& x, const Accumulator& accumulator, int32_t start = 0) {
  const auto channels = static_cast<int64_t>(x.size());
  OneOp op{Conv2D{}};
  op.input(int8({1, 1, 1, channels}, x));
  op.input(int8({1, 1, 1, channels}, std::vector<int8_t>(x.size(), 1)));
  op.input(bias({start}));
  op.accumulate(accumulator);
  return op.run_int8({1, 1, 1, 1}).at(0);
}

TEST(NarrowSums, AreRoundedAfterEveryChunk) {
  const std::vector<int8_t> x = {10, 20, 30};  // in steps of 4: 2.5, 5, 7.5
  EXPECT_EQ(summed(x, {.scale = 4, .chunk = 1}), 4 * (3 + 5 + 8));
  EXPECT_EQ(summed(x, {.scale = 4, .chunk = 2}), 4 * (8 + 8));
  EXPECT_EQ(summed(x, {.scale = 4, .chunk = 3}), 60);
}

TEST(NarrowSums, SaturateOnTheWay) {
  EXPECT_EQ(summed({100, 100, -100}, {.chunk = 1}), 127 - 100);
  EXPECT_EQ(summed({100, 100, -100}, {.type = DType::kInt16, .chunk = 1}), 100);
  EXPECT_EQ(summed({100, -100, 100}, {.chunk = 1}), 100);
}

TEST(NarrowSums, StartAtTheZeroPoint) {
  EXPECT_EQ(summed({100, 100, -100}, {.zero_point = -100, .chunk = 1}), 100);
  EXPECT_EQ(summed({-20, -20, 50}, {.zero_point = -100, .chunk = 1}), -28 + 50);
}

TEST(NarrowSums, HaveTheBiasInTheFirstChunk) {
  EXPECT_EQ(summed({1, 2}, {.scale = 4, .chunk = 1}, 5), 4 * (2 + 1));  // 1.5 and 0.5
  EXPECT_EQ(summed({100, 100}, {.chunk = 1}, -100), 100);
}

TEST(NarrowSums, OfAFullyConnectedLayer) {
  OneOp op{FullyConnected{}};
  op.input(int8({2, 3}, {10, 20, 30, 4, 4, 4}));
  op.input(int8({1, 3}, {1, 1, 1}));
  op.input(bias({0}));
  op.accumulate({.scale = 4, .chunk = 1});
  EXPECT_THAT(op.run_int8({2, 1}), ElementsAre(64, 12));
}

/// x, a 1 x 1 convolution with an activation, and another convolution of weights {1, -2}, bias 5.
Graph two_convolutions(Activation activation) {
  const auto activation_tensor = [](float scale, int32_t zero_point) {
    return Tensor{.shape = {1, 1, 1, 2},
                  .quantization = {.scales = {scale}, .zero_points = {zero_point}}};
  };
  Graph graph;
  graph.tensors = {activation_tensor(1, 0),
                   int8({2, 1, 1, 2}, {1, 0, 0, 1}),
                   activation_tensor(0.05F, -128),
                   int8({1, 1, 1, 2}, {1, -2}, 0.5F),
                   bias({5}),
                   activation_tensor(1, 0)};
  graph.tensors[5].shape.back() = 1;
  graph.inputs = {{TensorId{0}, {}}};
  graph.ops = {{Conv2D{.activation = activation}, {TensorId{0}, TensorId{1}}, {TensorId{2}}, 0},
               {Conv2D{}, {TensorId{2}, TensorId{3}, TensorId{4}}, {TensorId{5}}, 1}};
  graph.outputs = {{TensorId{5}, {}}};
  return graph;
}

TEST(PartialSums, AreBoundedByTheWeights) {
  const Graph plain = two_convolutions(Activation::kNone);  // x - zero point is in [0, 255]
  const double step = double{0.05F} * 0.5;
  EXPECT_EQ(bounded_sums(plain, plain.ops[1]), (SumRange{(5 - 510) * step, (5 + 255) * step}));
  EXPECT_EQ(bounded_sums(plain, plain.ops[0]), (SumRange{-128, 127}));
}

TEST(PartialSums, AreBoundedByTheActivationBefore) {
  const Graph relu6 = two_convolutions(Activation::kRelu6);  // and here in [0, 120]
  const double step = double{0.05F} * 0.5;
  EXPECT_EQ(bounded_sums(relu6, relu6.ops[1]), (SumRange{(5 - 240) * step, (5 + 120) * step}));
}

TEST(PartialSums, AreMeasuredAfterEachChunk) {
  const Graph graph = two_convolutions(Activation::kNone);
  TensorValues values(graph.tensors.size());
  values[2] = reference::bytes_from(std::vector<int8_t>{-118, -88});  // 10 and 40
  const double step = double{0.05F} * 0.5;
  EXPECT_EQ(measured_sums(graph, graph.ops[1], values, 1), (SumRange{-65 * step, 15 * step}));
  EXPECT_EQ(measured_sums(graph, graph.ops[1], values, 2), (SumRange{-65 * step, 0}));
}

TEST(PartialSums, FillTheTypeOfTheirAccumulator) {
  const Accumulator a = accumulator_for(TensorId{3}, DType::kInt8, 2, {-1, 3});
  EXPECT_EQ(a, (Accumulator{.tensor = {3}, .scale = 4.0F / 255, .zero_point = -64, .chunk = 2}));
  EXPECT_EQ(accumulator_for(TensorId{3}, DType::kInt16, 2, {0, 655.35}).zero_point, -32768);
  EXPECT_EQ(accumulator_for(TensorId{3}, DType::kInt8, 2, {0, 0}).scale, 1);
}

// Else a larger sum would wrap around where it is to saturate.
TEST(PartialSums, CalibratedOnNothingKeepToTheBound) {
  TestGraph g(1);
  const TensorId t = g.conv(g.input({1, 2, 2, 5}), 3, 1, 1);
  g.output(t);
  g.graph().ops[0].inputs.pop_back();                 // the bias
  const std::vector<Bytes> nothing = {Bytes(20, 3)};  // the zero point
  const std::vector<Accumulator> calibration =
      calibrated(g.graph(), {{.tensor = t, .type = DType::kInt16}}, {nothing});
  const SumRange bound = bounded_sums(g.graph(), g.graph().ops[0]);
  EXPECT_NEAR(double{calibration[0].scale} * 0x1p29 / (bound.high - bound.low), 1, 1e-6);
}

TEST(PartialSums, CalibratedOn16BitsAreNearlyExact) {
  TestGraph g(1);
  const TensorId t = g.conv(g.conv(g.input({1, 6, 6, 5}), 12, 3, 1), 7, 1, 1);
  g.output(t);
  const std::vector<std::vector<Bytes>> inputs = {noise(g.graph(), 1), noise(g.graph(), 2)};
  const std::vector<Accumulator> measured =
      calibrated(g.graph(), {{.tensor = t, .type = DType::kInt16, .chunk = 1}}, inputs);
  ASSERT_EQ(measured.size(), 1u);
  const SumRange bound = bounded_sums(g.graph(), g.graph().ops[1]);
  EXPECT_LT(double{measured[0].scale} * 65'535, bound.high - bound.low);
  const Graph lossy = with_accumulators(g.graph(), measured);
  for (const std::vector<Bytes>& set : inputs) {
    const auto exact = reference::elements_from<int8_t>(interpret(g.graph(), set)[t.index()]);
    const auto near = reference::elements_from<int8_t>(interpret(lossy, set)[t.index()]);
    for (size_t k = 0; k < exact.size(); ++k) ASSERT_LE(std::abs(exact[k] - near[k]), 1);
  }
}

}  // namespace
}  // namespace thimble::testing
