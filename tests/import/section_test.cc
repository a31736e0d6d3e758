// SPDX-License-Identifier: Apache-2.0
// --until: a part of a network, cut off behind tensors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/import/tflite_builder.h"
#include "tests/support/golden.h"
#include "tests/support/shared.h"
#include "thimble/import/survey.h"
#include "thimble/import/tflite.h"
#include "thimble/model/error.h"
#include "thimble/reference/interpreter.h"

namespace thimble {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Graph until(const testing::TfliteBuilder& net, std::vector<std::string> tensors) {
  return import_tflite(net.bytes(), "net", "net.tflite", {.until = std::move(tensors)});
}

std::string fault(const testing::TfliteBuilder& net, std::vector<std::string> tensors) {
  try {
    static_cast<void>(until(net, std::move(tensors)));
  } catch (const CompileError& error) {
    return error.what();
  }
  return "";
}

std::vector<int> numbers(const Graph& graph) {
  std::vector<int> result;
  for (const Op& op : graph.ops) result.push_back(op.file_index);
  return result;
}

TEST(Until, KeepsWhatTheTensorsNeed) {
  const Graph graph = until(testing::small_network(), {"5"});
  EXPECT_THAT(numbers(graph), ElementsAre(0, 1));
  ASSERT_EQ(graph.outputs.size(), 1U);
  EXPECT_EQ(graph.outputs[0].tensor.value, 5);
  EXPECT_EQ(graph.inputs.size(), 1U);
}

TEST(Until, LooksAtNothingElse) {
  testing::TfliteBuilder net = testing::small_network();
  net.at(8).type = tflite::TensorType::FLOAT16;
  net.op_at(3).builtin_options.Reset();
  EXPECT_THAT(fault(net, {}), HasSubstr("tensor 8"));
  EXPECT_THAT(numbers(until(net, {"7"})), ElementsAre(0, 1, 2));
}

TEST(Until, TakesSeveralTensorsEachOnce) {
  const Graph graph = until(testing::small_network(), {"7", "3", "7"});
  ASSERT_EQ(graph.outputs.size(), 2U);
  EXPECT_EQ(graph.outputs[0].tensor.value, 7);
  EXPECT_EQ(graph.outputs[1].tensor.value, 3);
}

TEST(Until, PrefersNames) {
  testing::TfliteBuilder net = testing::small_network();
  net.at(3).name = "7";
  EXPECT_THAT(numbers(until(net, {"7"})), ElementsAre(0));
}

TEST(Until, LeavesOutInputsThatNothingReads) {
  testing::TfliteBuilder net;
  const int32_t a = net.tensor({1, 4}), b = net.tensor({1, 4});
  const int32_t c = net.tensor({1, 4}), sum = net.tensor({1, 4});
  net.op(tflite::BuiltinOperator::RELU, {a}, {c});
  net.op(tflite::BuiltinOperator::ADD, {c, b}, {sum}, tflite::AddOptionsT{});
  net.inputs({a, b});
  net.outputs({sum});
  const Graph graph = until(net, {std::to_string(c)});
  ASSERT_EQ(graph.inputs.size(), 1U);
  EXPECT_EQ(graph.inputs[0].tensor.value, a);
}

TEST(Until, RefusesWhatIsNoTensorOrNotComputed) {
  testing::TfliteBuilder net = testing::small_network();
  EXPECT_EQ(fault(net, {"none"}),
            "--until: net.tflite has no tensor 'none'; `thimble inspect net.tflite` lists those it "
            "has");
  EXPECT_THAT(fault(net, {"99"}), HasSubstr("has no tensor '99'"));
  EXPECT_THAT(fault(net, {"-1"}), HasSubstr("has no tensor '-1'"));
  EXPECT_THAT(fault(net, {"0"}), HasSubstr("no operator of net.tflite computes tensor 0"));
  EXPECT_THAT(fault(net, {"1"}), HasSubstr("no operator of net.tflite computes tensor 1"));
  net.at(3).name = net.at(5).name = "twice";
  EXPECT_THAT(fault(net, {"twice"}), HasSubstr("several tensors 'twice', 3 and 5 among them"));
}

TEST(Until, RefusesDamage) {
  testing::TfliteBuilder net = testing::small_network();
  net.op_at(1).inputs = {99};
  EXPECT_THAT(fault(net, {"5"}), HasSubstr("there is no tensor 99"));
}

TEST(Until, IsWhatTheSurveyNames) {
  const testing::TfliteBuilder net = testing::unsupported_network();
  const Survey survey = survey_tflite(net.bytes(), "net", "net.tflite");
  EXPECT_EQ(survey.free_ops, 0) << "the first operator is in everyone's way";
  EXPECT_THAT(survey.until, IsEmpty());

  testing::TfliteBuilder small = testing::small_network();
  small.op_at(3).opcode_index = 0;
  small.model.operator_codes.push_back(std::make_unique<tflite::OperatorCodeT>());
  small.model.operator_codes.back()->builtin_code = tflite::BuiltinOperator::MATRIX_DIAG;
  small.op_at(3).opcode_index = static_cast<uint32_t>(small.model.operator_codes.size() - 1);
  const Survey other = survey_tflite(small.bytes(), "net", "net.tflite");
  EXPECT_EQ(other.free_ops, 3);
  EXPECT_THAT(other.until, ElementsAre(7));
  EXPECT_THAT(numbers(until(small, {"7"})), ElementsAre(0, 1, 2));
  EXPECT_THAT(survey_tflite(small.bytes(), "net", "net.tflite", {.until = {"7"}}).obstacles,
              IsEmpty());
}

TEST(Until, ComputesWhatTheWholeNetworkDoes) {
  THIMBLE_NEEDS_SHARED();
  const auto file = testing::model_path("ad01_int8");
  const Graph whole = import_tflite(file);
  const TensorId middle = whole.ops[whole.ops.size() / 2].outputs[0];
  const Graph part = import_tflite(file, {.until = {std::to_string(middle.value)}});
  EXPECT_LT(part.ops.size(), whole.ops.size());
  const Bytes input(static_cast<size_t>(whole.tensor(whole.inputs[0].tensor).size_bytes()), 0x15);
  EXPECT_EQ(interpret(part, {input})[middle.index()], interpret(whole, {input})[middle.index()]);
}

}  // namespace
}  // namespace thimble
