// SPDX-License-Identifier: Apache-2.0
// Variables that operators reach by handles.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/import/tflite_builder.h"
#include "thimble/import/survey.h"
#include "thimble/import/tflite.h"
#include "thimble/model/error.h"
#include "thimble/reference/interpreter.h"
#include "thimble/rewrites/rewrites.h"

namespace thimble::testing {
namespace {

using ::testing::HasSubstr;
using tflite::BuiltinOperator;

tflite::VarHandleOptionsT handle_options(const std::string& name) {
  tflite::VarHandleOptionsT options;
  options.shared_name = name;
  return options;
}

// 0 x; 1 handle of "v"; 2 = what v holds; 3 y = max(x, 2), which v then holds.
TfliteBuilder largest_so_far() {
  TfliteBuilder net;
  net.tensor({1, 4});
  net.tensor({}, tflite::TensorType::RESOURCE);
  net.tensor({1, 4});
  net.tensor({1, 4});
  net.op(BuiltinOperator::VAR_HANDLE, {}, {1}, handle_options("v"));
  net.op(BuiltinOperator::READ_VARIABLE, {1}, {2}, tflite::ReadVariableOptionsT());
  net.op(BuiltinOperator::MAXIMUM, {0, 2}, {3}, tflite::MaximumMinimumOptionsT());
  net.op(BuiltinOperator::ASSIGN_VARIABLE, {1, 3}, {}, tflite::AssignVariableOptionsT());
  net.inputs({0});
  net.outputs({3});
  return net;
}

// Adds the subgraph that gives v a constant at first.
void assign_once(TfliteBuilder& net, const Bytes& value) {
  TfliteBuilder once;
  once.model = std::move(net.model);
  auto graph = std::make_unique<tflite::SubGraphT>();
  std::swap(once.model.subgraphs[0], graph);
  once.model.subgraphs[0] = std::make_unique<tflite::SubGraphT>();
  once.tensor({}, tflite::TensorType::RESOURCE);
  once.constant({1, 4}, tflite::TensorType::INT8, value);
  once.op(BuiltinOperator::VAR_HANDLE, {}, {0}, handle_options("v"));
  once.op(BuiltinOperator::ASSIGN_VARIABLE, {0, 1}, {}, tflite::AssignVariableOptionsT());
  std::swap(once.model.subgraphs[0], graph);
  once.model.subgraphs.push_back(std::move(graph));
  tflite::CallOnceOptionsT options;
  options.init_subgraph_index = 1;
  once.op(BuiltinOperator::CALL_ONCE, {}, {}, options);
  auto& operators = once.network().operators;
  std::rotate(operators.begin(), operators.end() - 1, operators.end());
  net.model = std::move(once.model);
}

Graph imported(const TfliteBuilder& net) { return import_tflite(net.bytes(), "net", "net.tflite"); }

Bytes output_of(const Graph& graph, const Bytes& input, StateValues& state) {
  const TensorValues values = interpret(graph, {input}, state);
  return values[graph.outputs[0].tensor.index()];
}

TEST(Variables, KeepWhatIsAssigned) {
  const Graph graph = imported(largest_so_far());
  ASSERT_EQ(graph.states.size(), 1U);
  EXPECT_EQ(*graph.states[0].initial, Bytes(4, static_cast<uint8_t>(-3)));  // the zero point
  for (const Graph& g : {graph, rewrite(graph)}) {
    StateValues state = initial_state(g);
    EXPECT_EQ(output_of(g, {1, 0, 5, 0}, state), (Bytes{1, 0, 5, 0}));
    EXPECT_EQ(output_of(g, {0, 2, 4, 0}, state), (Bytes{1, 2, 5, 0}));
    EXPECT_EQ(output_of(g, {0, 0, 0, 9}, state), (Bytes{1, 2, 5, 9}));
    state = initial_state(g);
    EXPECT_EQ(output_of(g, {0, 0, 0, 9}, state), (Bytes{0, 0, 0, 9}));
  }
}

TEST(Variables, BeginWithWhatIsAssignedOnce) {
  TfliteBuilder net = largest_so_far();
  assign_once(net, {4, 3, 2, 1});
  const Graph graph = imported(net);
  StateValues state = initial_state(graph);
  EXPECT_EQ(output_of(graph, {0, 9, 0, 0}, state), (Bytes{4, 9, 2, 1}));
  EXPECT_EQ(output_of(graph, {0, 0, 0, 7}, state), (Bytes{4, 9, 2, 7}));
  EXPECT_TRUE(survey_tflite(net.bytes(), "net", "net.tflite").obstacles.empty());
}

TEST(Variables, ThatAreNeverAssignedAreConstants) {
  TfliteBuilder net = largest_so_far();
  net.network().operators.pop_back();
  assign_once(net, {4, 3, 2, 1});
  const Graph graph = rewrite(imported(net));
  EXPECT_TRUE(graph.states.empty());
  StateValues state;
  EXPECT_EQ(output_of(graph, {0, 9, 0, 0}, state), (Bytes{4, 9, 2, 1}));
}

// Each inference begins with what the one before assigned, though that is a constant.
TEST(Variables, MayBeAssignedAConstant) {
  TfliteBuilder net = largest_so_far();
  net.network().operators.pop_back();
  const int32_t value = net.constant({1, 4}, tflite::TensorType::INT8, {9, 0, 0, 0});
  net.at(value).quantization =
      std::make_unique<tflite::QuantizationParametersT>(*net.at(0).quantization);
  net.op(BuiltinOperator::ASSIGN_VARIABLE, {1, value}, {}, tflite::AssignVariableOptionsT());
  const Graph graph = imported(net);
  for (const Graph& g : {graph, rewrite(graph)}) {
    ASSERT_EQ(g.states.size(), 1U);
    StateValues state = initial_state(g);
    EXPECT_EQ(output_of(g, {1, 0, 5, 0}, state), (Bytes{1, 0, 5, 0}));
    EXPECT_EQ(output_of(g, {1, 0, 5, 0}, state), (Bytes{9, 0, 5, 0}));
  }
}

std::string refusal_of(const TfliteBuilder& net) {
  try {
    (void)imported(net);
  } catch (const CompileError& error) {
    return error.what();
  }
  return "";
}

TEST(Variables, AreRefusedWhereTheyAreNotUnderstood) {
  TfliteBuilder other_shape = largest_so_far();
  other_shape.tensor({4, 1});
  other_shape.op(BuiltinOperator::READ_VARIABLE, {1}, {4}, tflite::ReadVariableOptionsT());
  EXPECT_THAT(refusal_of(other_shape), HasSubstr("supported is one type, shape and quantisation"));
  TfliteBuilder no_handle = largest_so_far();
  no_handle.op_at(1).inputs = {0};
  EXPECT_THAT(refusal_of(no_handle), HasSubstr("READ_VARIABLE #1: is damaged: its input is no"));
  TfliteBuilder computed = largest_so_far();
  assign_once(computed, {4, 3, 2, 1});
  computed.model.subgraphs[1]->tensors[1]->buffer = 0;
  EXPECT_THAT(refusal_of(computed), HasSubstr("its value is computed; supported are constants"));
  const Survey survey = survey_tflite(computed.bytes(), "net", "net.tflite");
  ASSERT_FALSE(survey.obstacles.empty());
  TfliteBuilder branch = largest_so_far();
  assign_once(branch, {4, 3, 2, 1});
  branch.network().operators.erase(branch.network().operators.begin());
  EXPECT_THAT(refusal_of(branch), HasSubstr("has 2 subgraphs; supported is one"));
}

}  // namespace
}  // namespace thimble::testing
