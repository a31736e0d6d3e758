// SPDX-License-Identifier: Apache-2.0
// Tiny U-Net has the parameters, operators and buffers that TinySeg's figures are of.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "thimble/operators/operators.h"
#include "thimble/plan/order_problem.h"
#include "thimble/planners/tinyseg_count.h"
#include "thimble/rewrites/rewrites.h"
#include "zoo/zoo.h"

namespace thimble {
namespace {

using ::testing::ElementsAre;

int64_t constants_of_type(const Graph& graph, DType type) {
  int64_t sum = 0;
  for (const Tensor& t : graph.tensors) {
    if (t.is_constant() && t.type == type) sum += elements(t.shape);
  }
  return sum;
}

// Section 6.1: 109,725, before folding. Convolutions have no bias of their own then, and two share
// the four parameters per channel of a batch normalisation.
TEST(TinyUnet, HasThePapersParameters) {
  const Graph graph = build_zoo("tiny_unet");
  EXPECT_EQ(constants_of_type(graph, DType::kInt8), 108'992);
  EXPECT_EQ(constants_of_type(graph, DType::kInt32), 381);
  int64_t before_folding = constants_of_type(graph, DType::kInt8);
  for (const Op& op : graph.ops) {
    const int64_t channels = graph.tensor(op.outputs[0]).shape.back();
    const auto* conv = std::get_if<Conv2D>(&op.attributes);
    if (conv != nullptr && conv->activation == Activation::kRelu) before_folding += 2 * channels;
    const bool last = conv != nullptr && conv->activation == Activation::kNone;
    if (last || std::holds_alternative<TransposeConv>(op.attributes)) before_folding += channels;
  }
  EXPECT_EQ(before_folding, 109'725);
  EXPECT_EQ(macs(graph), 75'878'400);
}

TEST(TinyUnet, HasThePapersTensors) {
  const Graph graph = build_zoo("tiny_unet");
  std::vector<std::pair<std::string, int64_t>> outputs;
  for (const Op& op : graph.ops) {
    outputs.emplace_back(snake_name(op.attributes), graph.tensor(op.outputs[0]).size_bytes());
  }
  const std::string conv = "conv_2d", pool = "max_pool_2d", up = "transpose_conv";
  const std::vector<std::pair<std::string, int64_t>> expected = {{"quantize", 28'800},
                                                                 {conv, 76'800},
                                                                 {conv, 76'800},
                                                                 {pool, 19'200},
                                                                 {conv, 38'400},
                                                                 {conv, 38'400},
                                                                 {pool, 9'600},
                                                                 {conv, 19'200},
                                                                 {conv, 19'200},
                                                                 {pool, 4'800},
                                                                 {conv, 9'600},
                                                                 {conv, 9'600},
                                                                 {up, 9'600},
                                                                 {"pad", 9'600},
                                                                 {"concatenation", 28'800},
                                                                 {conv, 19'200},
                                                                 {conv, 19'200},
                                                                 {up, 19'200},
                                                                 {"pad", 19'200},
                                                                 {"concatenation", 57'600},
                                                                 {conv, 38'400},
                                                                 {conv, 38'400},
                                                                 {up, 38'400},
                                                                 {"pad", 38'400},
                                                                 {"concatenation", 115'200},
                                                                 {conv, 76'800},
                                                                 {conv, 76'800},
                                                                 {conv, 9'600},
                                                                 {"dequantize", 38'400}};
  EXPECT_EQ(outputs, expected);
  EXPECT_EQ(graph.tensor(graph.inputs.at(0).tensor).size_bytes(), 115'200);
}

// The skipped tensor first (Figure 3b).
TEST(TinyUnet, ConcatenatesWhatWasSkippedAndWhatWasPadded) {
  const Graph graph = build_zoo("tiny_unet");
  const std::vector<OpId> producer = producers(graph);
  std::vector<std::pair<int, int>> joined;
  for (const Op& op : graph.ops) {
    if (!std::holds_alternative<Concat>(op.attributes)) continue;
    joined.emplace_back(producer[op.inputs[0].index()].value, producer[op.inputs[1].index()].value);
  }
  EXPECT_THAT(joined, ElementsAre(std::pair(8, 13), std::pair(5, 18), std::pair(2, 23)));
}

TEST(TinyUnet, CountsAsThePaperDoes) {
  const auto counted = [](const Graph& graph, const char* steps) {
    return tinyseg::count(graph, tinyseg::counted_steps(steps)).arena_bytes;
  };
  for (const bool real_ports : {true, false}) {
    const Graph graph = build_zoo(real_ports ? "tiny_unet" : "tiny_unet:ports=int8");
    EXPECT_EQ(counted(graph, ""), 307'216);
    EXPECT_EQ(counted(graph, "scratch16"), 230'416);
    EXPECT_EQ(counted(graph, "scratch16,spill,concat"), 192'000);
    EXPECT_EQ(counted(graph, "scratch16,spill,concat,conv"), real_ports ? 182'400 : 153'616);
  }
}

// At the last concatenation, without scratch and the interpreter's data.
TEST(TinyUnet, WholeOperatorsTake230Kilobytes) {
  for (const char* name : {"tiny_unet", "tiny_unet:ports=int8"}) {
    const Graph graph = build_zoo(name);
    const OrderProblem problem = order_problem(graph, instances_of(graph, {}), /*in_place=*/false);
    EXPECT_EQ(original_order(problem).peak_bytes, 38'400 + 76'800 + 115'200) << name;
  }
}

TEST(TinyUnet, PortsInInt8LeaveTheRestAsItIs) {
  const Graph real = build_zoo("tiny_unet"), integer = build_zoo("tiny_unet:ports=int8");
  ASSERT_EQ(real.ops.size(), integer.ops.size() + 2);
  for (size_t k = 0; k < integer.ops.size(); ++k) {
    const Op& a = real.ops[k + 1];
    const Op& b = integer.ops[k];
    EXPECT_EQ(a.attributes, b.attributes) << label(b);
    EXPECT_EQ(real.tensor(a.outputs[0]), integer.tensor(b.outputs[0])) << label(b);
    for (size_t i = 1; i < b.inputs.size(); ++i) {
      EXPECT_EQ(real.tensor(a.inputs[i]), integer.tensor(b.inputs[i])) << label(b);
    }
  }
}

TEST(TinyUnet, RewritesTakePadsOfNothingAway) {
  for (const Op& op : rewrite(build_zoo("tiny_unet:ports=int8")).ops) {
    EXPECT_FALSE(std::holds_alternative<Pad>(op.attributes)) << label(op);
  }
}

}  // namespace
}  // namespace thimble
