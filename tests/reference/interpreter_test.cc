// SPDX-License-Identifier: Apache-2.0
#include "thimble/reference/interpreter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/reference/one_op.h"
#include "thimble/model/error.h"

namespace thimble::testing {
namespace {

using ::testing::HasSubstr;

/// input [1,2] -> relu6 -> relu6, with scale 1 and zero point 0.
Graph two_operators() {
  Graph graph{.name = "two"};
  const Quantization quantization{.scales = {1}, .zero_points = {0}};
  for (int i = 0; i < 3; ++i) {
    graph.tensors.push_back({.shape = {1, 2}, .quantization = quantization});
  }
  graph.ops = {{.attributes = Relu6{}, .inputs = {{0}}, .outputs = {{1}}},
               {.attributes = Relu6{}, .inputs = {{1}}, .outputs = {{2}}}};
  graph.inputs = {{.tensor = {0}}};
  graph.outputs = {{.tensor = {2}}};
  return graph;
}

TEST(Interpreter, KeepsEveryTensor) {
  const TensorValues values = interpret(two_operators(), {{0xff, 9}});
  EXPECT_EQ(values, (TensorValues{{0xff, 9}, {0, 6}, {0, 6}}));
}

std::string message_for(const std::vector<Bytes>& inputs) {
  try {
    (void)interpret(two_operators(), inputs);
  } catch (const CompileError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Interpreter, RejectsAnotherNumberOfInputs) {
  EXPECT_THAT(message_for({}), HasSubstr("two: 0 inputs were given, the network has 1"));
}

TEST(Interpreter, RejectsAnInputOfAnotherSize) {
  EXPECT_THAT(message_for({{1, 2, 3}}),
              HasSubstr("input 0 has 3 bytes, the network's (int8 1x2) has 2"));
}

TEST(Interpreter, VariablesStartFromTheirInitialValue) {
  Graph graph = two_operators();
  graph.inputs.clear();
  graph.states = {{.in = {0}, .out = {2}, .initial = std::make_shared<const Bytes>(Bytes{4, 5})}};
  EXPECT_EQ(interpret(graph, {})[2], (Bytes{4, 5}));
}

TEST(Ports, ChannelsFirstBecomesChannelsLastAndBack) {
  Graph graph;
  graph.tensors.push_back({.shape = {1, 2, 1, 3}});
  const Port port{.tensor = {0}, .order = {0, 3, 1, 2}};
  const Bytes channels_first = {1, 2, 10, 20, 100, 200};  // three channels of two rows
  const Bytes channels_last = {1, 10, 100, 2, 20, 200};
  EXPECT_EQ(from_port(graph, port, channels_first), channels_last);
  EXPECT_EQ(to_port(graph, port, channels_last), channels_first);
}

TEST(Ports, MoveWholeElements) {
  Graph graph;
  graph.tensors.push_back({.shape = {2, 2}, .type = DType::kInt16});
  const Port port{.tensor = {0}, .order = {1, 0}};
  EXPECT_EQ(from_port(graph, port, {1, 2, 3, 4, 5, 6, 7, 8}), (Bytes{1, 2, 5, 6, 3, 4, 7, 8}));
}

}  // namespace
}  // namespace thimble::testing
