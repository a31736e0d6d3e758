// SPDX-License-Identifier: Apache-2.0
// Channels that are the same for every input: which go, which stay, and that nothing else changes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "tests/rewrites/same_outputs.h"
#include "tests/support/dead_network.h"
#include "tests/support/extreme_inputs.h"
#include "tests/support/golden.h"
#include "tests/support/random_network.h"
#include "tests/support/random_op.h"
#include "tests/support/shared.h"
#include "tests/support/test_graph.h"
#include "tests/support/workload.h"
#include "thimble/import/tensor_file.h"
#include "thimble/import/tflite.h"
#include "thimble/operators/operators.h"
#include "thimble/reference/bounds.h"
#include "thimble/reference/elements.h"
#include "thimble/rewrites/rewrites.h"

namespace thimble {
namespace {

using testing::make_constant;
using testing::TestGraph;
using zoo::Random;

void expect_sound_and_same(const Graph& before, const Graph& after, uint64_t seed) {
  check_graph(after);
  for (const Op& op : after.ops) EXPECT_EQ(unsupported_reason(after, op), "") << label(op);
  testing::expect_same_outputs(before, after, seed);
}

Graph thinned(const Graph& graph) {
  return remove_constant_channels(graph, channel_bounds(graph)).graph;
}
Graph unclamped(const Graph& graph) { return remove_idle_clamps(graph, channel_bounds(graph)); }

int32_t zero_point(const TestGraph& g, TensorId t) {
  return g.graph().tensor(t).quantization.zero_points[0];
}

/// The extents of last axes of what the operators make.
std::vector<int64_t> channels(const Graph& graph) {
  std::vector<int64_t> result;
  for (const Op& op : graph.ops) result.push_back(graph.tensor(op.outputs[0]).shape.back());
  return result;
}
using Channels = std::vector<int64_t>;

TEST(ConstantChannels, GoFromAProducerAndItsReaders) {
  TestGraph g(1);
  const TensorId a = g.conv(g.input({1, 6, 5, 3}), 8, 3, 1);
  const TensorId b = g.depthwise(a, 3, 2);
  g.output(g.conv(b, 4, 1, 1));
  for (const size_t c : {0, 3, 5, 7}) make_constant(g.graph(), a, c, zero_point(g, a));
  const Graph after = thinned(g.graph());
  EXPECT_EQ(channels(after), (Channels{4, 4, 4}));
  EXPECT_EQ(macs(after), macs(g.graph()) - 4 * (30 * 27 + 9 * 9 + 9 * 4));
  expect_sound_and_same(g.graph(), after, 1);
}

// Whole words of channels are worth more than a channel.
TEST(ConstantChannels, LeaveAMultipleOfFourWhereThereWasOne) {
  TestGraph g(13);
  const TensorId a = g.conv(g.input({1, 4, 4, 2}), 8, 1, 1);
  g.output(g.conv(a, 3, 1, 1));
  for (const size_t c : {0, 1, 2}) make_constant(g.graph(), a, c, 9);
  EXPECT_EQ(channels(thinned(g.graph())), (Channels{8, 3}));
  for (const size_t c : {3, 4}) make_constant(g.graph(), a, c, 9);
  EXPECT_EQ(channels(thinned(g.graph())), (Channels{4, 3}));
  expect_sound_and_same(g.graph(), thinned(g.graph()), 13);
}

// At a border a window reads the zero point instead: then no bias can stand for another value.
TEST(ConstantChannels, StandInABiasWhereNoWindowReachesBeyondTheImage) {
  TestGraph g(2);
  const TensorId a = g.conv(g.input({1, 4, 4, 2}), 6, 1, 1);
  make_constant(g.graph(), a, 2, zero_point(g, a) + 50);
  make_constant(g.graph(), a, 4, zero_point(g, a));
  g.output(g.conv(a, 3, 1, 2));
  Graph after = thinned(g.graph());
  EXPECT_EQ(channels(after), (Channels{4, 3}));
  expect_sound_and_same(g.graph(), after, 2);
  g.output(g.conv(a, 3, 3, 1));
  after = thinned(g.graph());
  EXPECT_EQ(channels(after), (Channels{5, 3, 3}));
  expect_sound_and_same(g.graph(), after, 2);
}

TEST(ConstantChannels, GetABiasWhereThereWasNone) {
  TestGraph g(3);
  const TensorId a = g.conv(g.input({1, 4, 4, 2}), 6, 1, 1);
  make_constant(g.graph(), a, 1, zero_point(g, a) - 20);
  g.output(g.conv(a, 3, 1, 1));
  g.graph().ops[1].inputs.pop_back();
  const Graph after = thinned(g.graph());
  EXPECT_EQ(channels(after), (Channels{5, 3}));
  EXPECT_EQ(after.ops[1].inputs.size(), 3U);
  expect_sound_and_same(g.graph(), after, 3);
}

// Both operands of an addition go together: constant in one of them is not enough.
TEST(ConstantChannels, GoFromBothSidesOfAnAdditionOrNeither) {
  TestGraph g(4);
  const TensorId x = g.input({1, 4, 4, 2});
  const TensorId a = g.conv(x, 6, 1, 1), b = g.conv(x, 6, 1, 1);
  g.output(g.conv(g.add(a, b), 3, 1, 1));
  for (const size_t c : {0, 1, 2}) make_constant(g.graph(), a, c, 5);
  for (const size_t c : {1, 2, 3}) make_constant(g.graph(), b, c, -9);
  const Graph after = thinned(g.graph());
  EXPECT_EQ(channels(after), (Channels{4, 4, 4, 3}));
  expect_sound_and_same(g.graph(), after, 4);
}

TEST(ConstantChannels, GoThroughConcatenations) {
  TestGraph g(5);
  const TensorId x = g.input({1, 4, 4, 2});
  const TensorId a = g.conv(x, 6, 1, 1), b = g.conv(x, 5, 1, 1);
  g.graph().tensor(b).quantization = g.graph().tensor(a).quantization;
  g.output(g.conv(g.concat(a, b), 3, 1, 1));
  make_constant(g.graph(), a, 3, 100);
  for (const size_t c : {0, 1}) make_constant(g.graph(), b, c, -100);
  const Graph after = thinned(g.graph());
  EXPECT_EQ(channels(after), (Channels{5, 3, 8, 3}));
  expect_sound_and_same(g.graph(), after, 5);
}

// A fully connected layer has a column per pixel of the channel.
TEST(ConstantChannels, GoFromEveryPixelThatAFullyConnectedLayerReads) {
  TestGraph g(6);
  const TensorId a = g.conv(g.input({1, 3, 2, 2}), 5, 1, 1);
  g.output(g.fully_connected(a, 4));
  for (const size_t c : {0, 2}) make_constant(g.graph(), a, c, 77);
  const Graph after = thinned(g.graph());
  EXPECT_EQ(channels(after), (Channels{3, 4}));
  EXPECT_EQ(after.tensor(after.ops[1].inputs[1]).shape, (Shape{4, 18}));
  expect_sound_and_same(g.graph(), after, 6);
}

// What a depthwise convolution makes constant, nobody needs of what it reads.
TEST(ConstantChannels, GoWithWhatWasComputedForThemAlone) {
  TestGraph g(7);
  const TensorId a = g.conv(g.input({1, 4, 4, 2}), 6, 3, 1);
  const TensorId b = g.depthwise(a, 3, 1);
  g.output(g.conv(b, 3, 1, 1));
  make_constant(g.graph(), b, 4, 33);
  const Graph after = thinned(g.graph());
  EXPECT_EQ(channels(after), (Channels{5, 5, 3}));
  expect_sound_and_same(g.graph(), after, 7);
}

TEST(ConstantChannels, StayWhereTheCallerSeesThem) {
  TestGraph g(8);
  const TensorId a = g.conv(g.input({1, 4, 4, 2}), 6, 3, 1);
  g.output(a);
  g.output(g.conv(a, 3, 1, 1));
  make_constant(g.graph(), a, 4, 33);
  EXPECT_EQ(channels(thinned(g.graph())), (Channels{6, 3}));
}

// An output must be written, though it is the same for every input.
TEST(ConstantChannels, MayBeAllOfATensorAndOfAnOutput) {
  TestGraph g(9);
  const TensorId x = g.input({1, 4, 4, 2});
  const TensorId a = g.conv(x, 3, 1, 1), b = g.conv(x, 3, 1, 1);
  const TensorId c = g.depthwise(a, 3, 1);  // not the same everywhere, but known
  g.output(g.add(b, c));
  const TensorId d = g.conv(b, 2, 1, 1);
  g.output(d);
  for (size_t k = 0; k < 3; ++k) make_constant(g.graph(), a, k, 40);
  for (size_t k = 0; k < 2; ++k) make_constant(g.graph(), d, k, 40);
  const Graph after = thinned(g.graph());
  EXPECT_EQ(after.ops.size(), 3U);
  EXPECT_TRUE(after.tensor(after.ops[1].inputs[1]).is_constant());
  expect_sound_and_same(g.graph(), after, 9);
}

TEST(ConstantChannels, LeaveADepthwiseMultiplierOfOneChannelAsIsNeeded) {
  TestGraph g(10);
  TensorId a = g.depthwise(g.input({1, 5, 5, 1}), 3, 1);
  Graph& graph = g.graph();
  Op& op = graph.ops[0];
  std::get<DepthwiseConv2D>(op.attributes).multiplier = 5;
  const auto widen = [&](TensorId t, size_t axis) {
    Tensor& tensor = graph.tensor(t);
    tensor.shape[axis] = 5;
    if (!tensor.is_constant()) return;
    Bytes five;
    for (int k = 0; k < 5; ++k) five.insert(five.end(), tensor.data->begin(), tensor.data->end());
    tensor.data = std::make_shared<const Bytes>(std::move(five));
    for (float& scale : tensor.quantization.scales) scale = tensor.quantization.scales[0];
    if (!tensor.quantization.scales.empty()) {
      tensor.quantization.scales.resize(1);
      tensor.quantization.zero_points.resize(1);
    }
  };
  widen(op.inputs[1], 3);
  widen(op.inputs[2], 0);
  widen(a, 3);
  g.output(g.conv(a, 3, 1, 1));
  make_constant(graph, a, 1, 7);
  const Graph after = thinned(graph);
  EXPECT_EQ(channels(after), (Channels{4, 3}));
  expect_sound_and_same(graph, after, 10);
}

int64_t graph_channels(const Graph& graph, const Op& op) {
  const Shape& shape = graph.tensor(op.outputs[0]).shape;
  return shape.empty() ? 1 : shape.back();
}

int64_t all_channels(const Graph& graph) {
  int64_t sum = 0;
  for (const Op& op : graph.ops) sum += graph_channels(graph, op);
  return sum;
}

TEST(ConstantChannels, LeaveTheOutputsOfRandomNetworks) {
  int64_t before_all = 0, after_all = 0;
  std::map<std::string, int64_t> thinner;
  for (uint64_t seed = 0; seed < testing::random_cases(1500, 60000) / testing::kOneIn; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Graph before =
        seed % 4 != 0 ? testing::random_dead_network(seed) : testing::random_network(seed);
    Random random(seed);
    if (seed % 4 == 0) testing::make_some_constant(before, random);
    const Graph after = rewrite(before);
    expect_sound_and_same(before, after, seed);
    if (HasFailure()) return;
    const Graph kept = rewrite(before, ConstantChannels::kKept);
    before_all += all_channels(kept);
    after_all += all_channels(after);
    std::map<int, int64_t> channels_before;
    for (const Op& op : kept.ops) channels_before[op.file_index] = graph_channels(kept, op);
    for (const Op& op : after.ops) {
      if (graph_channels(after, op) < channels_before[op.file_index])
        ++thinner[name(op.attributes)];
    }
  }
  fmt::print("{} of {} channels stay\n", after_all, before_all);
  for (const auto& [op, count] : thinner) fmt::print("  {} {}\n", op, count);
  if (testing::kSanitized) return;  // too few networks
  for (const char* op : {"CONV_2D", "DEPTHWISE_CONV_2D", "RELU", "LOGISTIC", "QUANTIZE",
                         "AVERAGE_POOL_2D", "MAX_POOL_2D", "CONCATENATION", "ADD", "MUL", "SUB",
                         "SLICE", "PAD", "RESIZE_BILINEAR", "MEAN", "TRANSPOSE"})
    EXPECT_GT(thinner[op], 0) << op;
}

class ThinnedModels : public ::testing::TestWithParam<std::string> {};

TEST_P(ThinnedModels, GiveTheSameOutputs) {
  THIMBLE_NEEDS_SHARED();
  const Graph before = import_tflite(testing::model_path(GetParam()));
  const Graph after = rewrite(before);
  const bool large = macs(before) > 100'000'000;
  std::vector<std::vector<Bytes>> sets = testing::extreme_inputs(before, 2, 5);
  if (large && sets.size() > 6) sets.resize(6);
  sets.push_back(testing::noise(before, 5));
  for (const std::vector<Bytes>& inputs : sets)
    ASSERT_EQ(testing::expected_outputs(before, inputs), testing::expected_outputs(after, inputs));
}

INSTANTIATE_TEST_SUITE_P(Shared, ThinnedModels, ::testing::ValuesIn(testing::issue_models()),
                         [](const auto& model) { return model.param; });

// Against the estimate of the shared bench/kernel_floor.md, made before: 3,795,533 MACs with every
// tap at a border counted as possibly zero by itself.
TEST(ConstantChannels, AreHalfOfTheWorkOfTheVisualWakeWordsModel) {
  THIMBLE_NEEDS_SHARED();
  const Graph vww = import_tflite(testing::model_path("vww_96_int8"));
  EXPECT_EQ(macs(rewrite(vww, ConstantChannels::kKept)), 7'489'664);
  EXPECT_LE(macs(rewrite(vww)), 3'795'533);
  for (const char* none : {"kws_ref_model", "ad01_int8", "pretrainedResnet_quant"}) {
    const Graph graph = import_tflite(testing::model_path(none));
    EXPECT_EQ(rewrite(graph), rewrite(graph, ConstantChannels::kKept)) << none;
  }
}

TEST(IdleClamps, GoWhereNoValueReachesThem) {
  TestGraph g(11);
  Graph& graph = g.graph();
  const TensorId a = g.conv(g.input({1, 4, 4, 2}), 3, 1, 1);
  for (size_t c = 0; c < 3; ++c) make_constant(graph, a, c, zero_point(g, a) + 9);
  g.output(a);
  auto& activation = std::get<Conv2D>(graph.ops[0].attributes).activation;
  activation = Activation::kRelu;
  EXPECT_EQ(std::get<Conv2D>(unclamped(graph).ops[0].attributes).activation, Activation::kNone);
  make_constant(graph, a, 1, zero_point(g, a) - 1);
  EXPECT_EQ(std::get<Conv2D>(unclamped(graph).ops[0].attributes).activation, Activation::kRelu);
}

TEST(IdleClamps, GoWhereTheyStandAlone) {
  TestGraph g(12);
  Graph& graph = g.graph();
  const TensorId a = g.conv(g.input({1, 4, 4, 2}), 3, 1, 1);
  std::get<Conv2D>(graph.ops[0].attributes).activation = Activation::kRelu6;
  graph.tensor(a).quantization = {{0.06F}, {0}, 0};  // RELU6 ends at 100
  make_constant(graph, a, 1, 120);
  const TensorId b = g.depthwise(a, 1, 1);
  graph.tensor(b).quantization = graph.tensor(a).quantization;
  graph.ops[1] = {Relu6{}, {a}, {b}, 1};
  g.output(g.conv(b, 2, 1, 1));
  const Graph after = unclamped(graph);
  EXPECT_EQ(after.ops.size(), 2U);
  expect_sound_and_same(graph, after, 12);
  std::get<Conv2D>(graph.ops[0].attributes).activation = Activation::kRelu;
  EXPECT_EQ(unclamped(graph).ops.size(), 3U);
}

}  // namespace
}  // namespace thimble
