// SPDX-License-Identifier: Apache-2.0
// Runs executed part by part compute what they compute whole.
#include "thimble/interpreter/split.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/support/random_network.h"
#include "tests/support/workload.h"
#include "thimble/export/tflite.h"
#include "thimble/import/tflite.h"
#include "thimble/interpreter/best_splits.h"
#include "thimble/operators/operators.h"
#include "zoo/builder.h"

namespace thimble::testing {
namespace {

void expect_same_outputs(const Graph& graph, const Graph& split) {
  const std::vector<Bytes> inputs = noise(graph, 7);
  EXPECT_EQ(expected_outputs(split, inputs), expected_outputs(graph, inputs));
}

int count(const Graph& graph, const char* kind) {
  return static_cast<int>(std::ranges::count_if(
      graph.ops, [&](const Op& op) { return name(op.attributes) == std::string(kind); }));
}

/// input 8x8x3 -> conv 3x3 -> depthwise 3x3, stride 2 -> output 4x4x8
Graph two_windows() {
  zoo::Builder net("n", 1);
  TensorId x = net.conv(net.input({1, 8, 8, 3}), {.channels = 8, .kernel = 3});
  return net.finish({net.depthwise(x, {.stride = 2})});
}

TEST(Split, RowsOverlapAndArePadded) {
  const Graph graph = two_windows();
  const Graph split = with_splits(graph, {{.begin = 0, .end = 2, .axis = 1, .parts = 2}});
  // The last part of the depthwise is padded as SAME has it.
  EXPECT_EQ(count(split, "SLICE"), 2);
  EXPECT_EQ(count(split, "PAD"), 3);
  EXPECT_EQ(count(split, "CONV_2D"), 2);
  EXPECT_EQ(count(split, "CONCATENATION"), 1);
  expect_same_outputs(graph, split);
}

TEST(Split, ChannelsDivideWeightsAndComputeNothingAgain) {
  const Graph graph = two_windows();
  const Graph split = with_splits(graph, {{.begin = 0, .end = 2, .axis = 3, .parts = 4}});
  EXPECT_EQ(count(split, "SLICE") + count(split, "PAD"), 0);
  EXPECT_EQ(macs(split), macs(graph));
  EXPECT_EQ(split.tensor(split.ops[0].inputs[1]).shape, (Shape{2, 3, 3, 3}));
  EXPECT_EQ(split.tensor(split.ops[0].inputs[1]).quantization.scales.size(),
            graph.tensor(graph.ops[0].inputs[1]).quantization.scales.size() / 4);
  expect_same_outputs(graph, split);
}

TEST(Split, TransposedConvolutionsAreMadeInWholeSteps) {
  zoo::Builder net("n", 1);
  TensorId x =
      net.transpose_conv(net.input({1, 6, 5, 4}), {.channels = 3, .pads = zoo::Pads::kValid});
  const Graph graph = net.finish({net.conv(x, {.channels = 2, .kernel = 3})});
  for (const int parts : {2, 3, 5})
    expect_same_outputs(graph, with_splits(graph, {{.begin = 0, .end = 2, .parts = parts}}));
}

// The last row and column of the padding are not read.
TEST(Split, PaddingIsWrittenAsFarAsItIsNeeded) {
  zoo::Builder net("n", 1);
  TensorId x = net.pad(net.relu(net.input({1, 8, 8, 4})), {0, 1, 1, 0}, {0, 1, 1, 0});
  const Graph graph = net.finish(
      {net.conv(x, {.channels = 4, .kernel = 3, .stride = 2, .pads = zoo::Pads::kValid})});
  for (const int axis : {1, 2, 3})
    expect_same_outputs(graph, with_splits(graph, {{.begin = 0, .end = 3, .axis = axis}}));
}

TEST(Split, WhatIsReadElsewhereStaysWhole) {
  zoo::Builder net("n", 1);
  const TensorId x = net.conv(net.input({1, 8, 8, 4}), {.channels = 4});
  const TensorId y = net.conv(x, {.channels = 4});
  const Graph graph = net.finish({net.add(x, y)});
  const Reach reach(graph);
  EXPECT_FALSE(split_run(graph, reach, {.begin = 0, .end = 2}));
  EXPECT_TRUE(split_run(graph, reach, {.begin = 0, .end = 3}));
  EXPECT_FALSE(split_run(graph, reach, {.begin = 0, .end = 3, .parts = 9})) << "8 rows";
}

TEST(Split, PoolsThatWouldHaveOtherPaddingStayWhole) {
  zoo::Builder net("n", 1);
  const TensorId x = net.relu(net.input({1, 9, 9, 2}));
  const Graph graph = net.finish({net.max_pool(x, {.kernel = 3, .pads = zoo::Pads::kSame})});
  EXPECT_FALSE(split_run(graph, Reach(graph), {.begin = 0, .end = 2}));
}

/// Any run of random networks that can be split, in any way, also written and read again.
TEST(Split, RandomRunsComputeTheSame) {
  const uint64_t cases = random_cases(100, 10'000) / kOneIn;
  int tried = 0;
  for (uint64_t seed = 0; seed < cases; ++seed) {
    const Graph graph = seed % 3 == 0   ? random_network(seed)
                        : seed % 3 == 1 ? random_chain(seed)
                                        : random_bottlenecks(seed);
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    const Reach reach(graph);
    const auto ops = static_cast<int>(graph.ops.size());
    for (int k = 0; k < 12; ++k) {
      const int begin = static_cast<int>(random() % graph.ops.size());
      const Split split{.begin = begin,
                        .end = begin + 1 + static_cast<int>(random() % 5),
                        .axis = 1 + static_cast<int>(random() % 3),
                        .parts = 2 + static_cast<int>(random() % 4)};
      if (split.end > ops || !split_run(graph, reach, split)) continue;
      ++tried;
      SCOPED_TRACE(k);
      const Graph made = with_splits(graph, {split});
      expect_same_outputs(graph, made);
      if (k < 3) expect_same_outputs(graph, import_tflite(export_tflite(made), "n", "n"));
    }
  }
  EXPECT_GT(tried, 100 / kOneIn);
}

TEST(BestSplits, RespectTheLimitOnRecomputation) {
  const Graph graph = two_windows();
  const BestSplits none = best_splits(graph, 0);
  EXPECT_EQ(none.more_macs, 0);
  const BestSplits any = best_splits(graph, macs(graph));
  EXPECT_LE(any.peak_bytes + any.more_bytes, none.peak_bytes + none.more_bytes);
}

}  // namespace
}  // namespace thimble::testing
