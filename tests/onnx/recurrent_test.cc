// SPDX-License-Identifier: Apache-2.0
// LSTM, GRU and RNN of ONNX: what they become, and what is refused. Their values: cases.csv.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/onnx/small_model.h"
#include "thimble/operators/operators.h"

namespace thimble::onnx {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr int64_t kTimes = 3, kInputs = 2, kUnits = 4;

/// A network of one node that reads a sequence [kTimes,1,kInputs] as "x", and weights of ones.
class OneLayer : public SmallModel {
 public:
  OneLayer(std::string_view op, int64_t gates, int64_t directions = 1) {
    input("x", ElementType::kFloat, {kTimes, 1, kInputs});
    SmallModel::node(op, {"x", "w", "r", "", "", ""}, {"y"}).output("y");
    ones("w", {directions, gates * kUnits, kInputs});
    ones("r", {directions, gates * kUnits, kUnits});
    if (directions == 2) text("direction", "bidirectional");
  }
  NodeRecord& node() { return model.graph.nodes[0]; }
};

std::vector<std::string> names(const SmallModel& model) {
  std::vector<std::string> result;
  for (const Op& op : model.graph().ops) result.emplace_back(name(op.attributes));
  return result;
}

// One operator however many times there are; the others change shapes alone.
TEST(RecurrentOfOnnx, IsOneOperatorForEachDirection) {
  EXPECT_THAT(names(OneLayer("GRU", 3)), ElementsAre("RESHAPE", "GRU", "RESHAPE", "RESHAPE"));
  EXPECT_THAT(names(OneLayer("RNN", 1, 2)), ElementsAre("RESHAPE", "RNN", "RESHAPE", "RNN",
                                                        "RESHAPE", "CONCATENATION", "RESHAPE"));
  EXPECT_THAT(names(OneLayer("LSTM", 4)), ElementsAre("RESHAPE", "UNIDIRECTIONAL_SEQUENCE_LSTM",
                                                      "SLICE", "RESHAPE", "RESHAPE"));
}

TEST(RecurrentOfOnnx, CellsFollowFromAttributes) {
  const auto made = [](const SmallModel& layer) {
    return std::get<Recurrent>(layer.graph().ops.at(1).attributes);
  };
  EXPECT_EQ(made(OneLayer("GRU", 3)), Recurrent{.cell = Cell::kGruResetBefore});
  EXPECT_EQ(made(OneLayer("GRU", 3).whole("linear_before_reset", 1)),
            Recurrent{.cell = Cell::kGru});
  EXPECT_EQ(made(OneLayer("RNN", 1).texts("activations", {"Relu"})),
            Recurrent{.cell = Cell::kRelu});
  EXPECT_EQ(made(OneLayer("RNN", 1).text("direction", "reverse")),
            (Recurrent{.cell = Cell::kTanh, .reverse = true}));
}

TEST(RecurrentOfOnnx, IgnoresLengthsThatAreFull) {
  OneLayer layer("RNN", 1);
  layer.node().inputs[4] = "lengths";
  layer.constant<int32_t>("lengths", ElementType::kInt32, {1}, {kTimes});
  EXPECT_EQ(layer.refusal(), "");
}

TEST(RecurrentOfOnnx, RefusesShorterSequences) {
  OneLayer layer("RNN", 1);
  layer.node().inputs[4] = "lengths";
  layer.constant<int32_t>("lengths", ElementType::kInt32, {1}, {kTimes - 1});
  EXPECT_THAT(layer.refusal(), HasSubstr("sequences of full length (3) alone"));
}

TEST(RecurrentOfOnnx, RefusesOtherFunctions) {
  EXPECT_THAT(OneLayer("LSTM", 4).texts("activations", {"Sigmoid", "Relu", "Tanh"}).refusal(),
              HasSubstr("other activations than sigmoid, tanh, tanh"));
  EXPECT_THAT(OneLayer("GRU", 3).texts("activations", {"HardSigmoid", "Tanh"}).refusal(),
              HasSubstr("other activations than sigmoid, tanh"));
  EXPECT_THAT(OneLayer("RNN", 1).texts("activations", {"Elu"}).refusal(),
              HasSubstr("other activations than Tanh and Relu"));
}

TEST(RecurrentOfOnnx, RefusesClipInputForgetAndPeepholes) {
  EXPECT_THAT(OneLayer("GRU", 3).whole("clip", 1).refusal(),
              HasSubstr("not supported with 'clip'"));
  EXPECT_THAT(OneLayer("LSTM", 4).whole("input_forget", 1).refusal(),
              HasSubstr("not supported with 'input_forget'"));
  OneLayer peepholes("LSTM", 4);
  peepholes.node().inputs.insert(peepholes.node().inputs.end(), {"", "p"});
  peepholes.ones("p", {1, 3 * kUnits});
  EXPECT_THAT(peepholes.refusal(), HasSubstr("not supported with peepholes"));
}

TEST(RecurrentOfOnnx, RefusesWeightsThatAreComputed) {
  OneLayer layer("RNN", 1);
  layer.node().inputs[2] = "computed";
  EXPECT_THAT(layer.input("computed", ElementType::kFloat, {1, kUnits, kUnits}).refusal(),
              HasSubstr("weights that are computed"));
}

TEST(RecurrentOfOnnx, FindsDamage) {
  EXPECT_THAT(OneLayer("GRU", 4).refusal(), HasSubstr("weights 1x16x2 and 1x16x4"));
  EXPECT_THAT(OneLayer("RNN", 1).whole("hidden_size", 5).refusal(), HasSubstr("for a sequence"));
  EXPECT_THAT(OneLayer("RNN", 1).text("direction", "up").refusal(), HasSubstr("a direction"));
  OneLayer biased("GRU", 3), begun("GRU", 3);
  biased.node().inputs[3] = "b";
  EXPECT_THAT(biased.ones("b", {1, 7}).refusal(), HasSubstr("biases of other gates"));
  begun.node().inputs[5] = "h";
  EXPECT_THAT(begun.ones("h", {1, 2, kUnits}).refusal(), HasSubstr("an initial state 1x2x4"));
}

}  // namespace
}  // namespace thimble::onnx
