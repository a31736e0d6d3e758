// SPDX-License-Identifier: Apache-2.0
// Each constraint refuses what breaks it, with its text.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "tests/support/operators/claims.h"
#include "tests/support/operators/spoil.h"
#include "tests/support/random_op.h"
#include "thimble/operators/operators.h"

namespace thimble::testing {
namespace {

std::string reason(const Graph& g) { return unsupported_reason(g, g.ops[0]); }

TEST(Refusals, TakesTheLiterals) {
  for (const Attributes& kind : every_operator())
    EXPECT_EQ(reason(literal_of(kind)), "") << name(kind);
}

TEST(Refusals, NamesWhatIsBroken) {
  for (const Attributes& kind : every_operator()) {
    for (const Refusal& c : claims_of(kind).refusals) {
      Graph graph = literal_of(kind);
      c.spoil(graph);
      EXPECT_THAT(reason(graph), ::testing::HasSubstr(c.reason)) << name(kind);
    }
  }
}

TEST(Refusals, EveryConstraintIsBrokenByACase) {
  std::set<std::string> broken;
  for (const Attributes& kind : every_operator()) {
    for (const Refusal& c : claims_of(kind).refusals) {
      Graph graph = literal_of(kind);
      c.spoil(graph);
      broken.insert(reason(graph));
    }
  }
  for (uint64_t kind = 0; kind < every_operator().size(); ++kind) {
    const Attributes attributes = random_op_graph(kind).ops[0].attributes;
    for (const Constraint& c : constraints(attributes))
      EXPECT_TRUE(broken.contains(c.text)) << name(attributes) << ": " << c.text;
  }
}

TEST(Refusals, TakesVariableWeightsOfAFullyConnectedLayer) {
  Graph graph = literal_op("fully_connected");
  graph.tensors[1].data = nullptr;
  graph.tensors[1].quantization.zero_points = {5};
  EXPECT_EQ(reason(graph), "");
}

TEST(Refusals, TakesConvolutionsPerChannelAndWithoutBias) {
  Graph graph = literal_op("conv_2d");
  graph.tensors[1].quantization = {std::vector<float>(6, 0.01F), std::vector<int32_t>(6, 0), 0};
  graph.ops[0].inputs.pop_back();
  EXPECT_EQ(reason(graph), "");
}

// Scales and zero points matter to integers alone.
TEST(Refusals, TakesFloat32WithoutQuantisation) {
  int taken = 0;
  for (const Attributes& kind : every_operator()) {
    if (!claims_of(kind).float32) continue;
    ++taken;
    Graph graph = literal_of(kind);
    in_float(graph);
    EXPECT_EQ(reason(graph), "") << name(kind);
  }
  EXPECT_GE(taken, 35);
}

/// Weights of 1 on inputs of -128 - 3 to 127 - 3, 36 of them: from -4716 to 4464.
Graph conv_with_bias(int32_t value) {
  Graph graph = literal_op("conv_2d");
  std::vector<int32_t> bias(6, value);
  Bytes bytes(bias.size() * sizeof(int32_t));
  std::memcpy(bytes.data(), bias.data(), bytes.size());
  graph.tensors[2].data = std::make_shared<const Bytes>(std::move(bytes));
  return graph;
}

TEST(Refusals, SumsMayReachTheEndsOfInt32) {
  EXPECT_EQ(reason(conv_with_bias(INT32_MAX - 4464)), "");
  EXPECT_EQ(reason(conv_with_bias(INT32_MIN + 4716)), "");
  EXPECT_THAT(reason(conv_with_bias(INT32_MAX - 4463)), ::testing::HasSubstr("within 32 bits"));
  EXPECT_THAT(reason(conv_with_bias(INT32_MIN + 4715)), ::testing::HasSubstr("within 32 bits"));
}

TEST(Refusals, ABiasIsSilencedWhereItsChannelIs) {
  Graph graph = conv_with_bias(INT32_MIN);
  EXPECT_EQ(silenced_bias(graph, graph.ops[0]), nullptr);
  graph.tensors[1].quantization = {
      {0.01F, 3.1e-22F, 0.01F, 0.01F, 0.01F, 0.01F}, {0, 0, 0, 0, 0, 0}, 0};
  const auto silenced = silenced_bias(graph, graph.ops[0]);
  ASSERT_NE(silenced, nullptr);
  std::vector<int32_t> bias(6);
  std::memcpy(bias.data(), silenced->data(), silenced->size());
  EXPECT_THAT(bias,
              ::testing::ElementsAre(INT32_MIN, 0, INT32_MIN, INT32_MIN, INT32_MIN, INT32_MIN));
}

TEST(Refusals, TakesSoftmaxToInt16) {
  Graph graph = literal_op("softmax");
  graph.tensors.back().type = DType::kInt16;
  graph.tensors.back().quantization = {{1.0F / 65536}, {-32768}, 0};
  EXPECT_EQ(reason(graph), "");
}

}  // namespace
}  // namespace thimble::testing
