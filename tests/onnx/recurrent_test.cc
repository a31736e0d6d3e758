// SPDX-License-Identifier: Apache-2.0
// LSTM, GRU and RNN of ONNX: what they become, and what is refused. Their values: cases.csv.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "thimble/import/onnx/reader.h"
#include "thimble/model/error.h"
#include "thimble/operators/operators.h"

namespace thimble::onnx {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr int64_t kTimes = 3, kInputs = 2, kUnits = 4;

/// A network of one node that reads a sequence [kTimes,1,kInputs] as "x", and weights of ones.
class OneLayer {
 public:
  OneLayer(std::string_view op, int64_t gates, int64_t directions = 1) {
    model_.opsets = {{"", 17}};
    input("x", {kTimes, 1, kInputs});
    node().op = op;
    node().inputs = {"x", "w", "r", "", "", ""};
    node().outputs = {"y"};
    ones("w", {directions, gates * kUnits, kInputs});
    ones("r", {directions, gates * kUnits, kUnits});
    if (directions == 2) text("direction", "bidirectional");
  }

  NodeRecord& node() { return model_.graph.nodes[0]; }
  OneLayer& text(std::string_view name, std::string_view value) {
    node().attributes.push_back({.name = name, .kind = AttributeKind::kString, .s = value});
    return *this;
  }
  OneLayer& whole(std::string_view name, int64_t value) {
    node().attributes.push_back({.name = name, .kind = AttributeKind::kInt, .i = value});
    return *this;
  }
  OneLayer& functions(std::vector<std::string_view> names) {
    AttributeRecord given{.name = "activations", .kind = AttributeKind::kStrings};
    given.strings = std::move(names);
    node().attributes.push_back(std::move(given));
    return *this;
  }
  OneLayer& input(std::string_view name, const Shape& shape) {
    ValueRecord value{.name = name, .is_tensor = true, .type = ElementType::kFloat};
    value.dims.emplace();
    for (const int64_t extent : shape) value.dims->push_back({.extent = extent});
    model_.graph.inputs.push_back(std::move(value));
    return *this;
  }
  OneLayer& ones(std::string_view name, const Shape& shape) {
    std::vector<float> values(static_cast<size_t>(elements(shape)), 1);
    return constant(name, ElementType::kFloat, shape, values);
  }
  template <class T>
  OneLayer& constant(std::string_view name, ElementType type, const Shape& shape,
                     const std::vector<T>& values) {
    TensorRecord tensor{.name = name, .type = type, .dims = shape};
    const auto* const bytes = reinterpret_cast<const uint8_t*>(values.data());
    tensor.typed.assign(bytes, bytes + values.size() * sizeof(T));
    model_.graph.initializers.push_back(std::move(tensor));
    return *this;
  }

  /// The operators that it becomes.
  [[nodiscard]] std::vector<Op> ops() const {
    Reader reader(model_, "a.onnx", "");
    (void)reader.begin({});
    for (const NodeRecord* read : reader.nodes({"y"})) reader.read(*read);
    std::vector<Op> result;
    for (const Step& step : reader.network().steps()) result.push_back(step.op);
    return result;
  }
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> result;
    for (const Op& op : ops()) result.emplace_back(name(op.attributes));
    return result;
  }
  [[nodiscard]] std::string refusal() const {
    try {
      (void)ops();
    } catch (const CompileError& error) {
      return error.what();
    }
    return "";
  }

 private:
  ModelRecord model_{.graph = {.nodes = {NodeRecord{}}}};
};

// One operator however many times there are; the others change shapes alone.
TEST(RecurrentOfOnnx, IsOneOperatorForEachDirection) {
  EXPECT_THAT(OneLayer("GRU", 3).names(), ElementsAre("RESHAPE", "GRU", "RESHAPE"));
  EXPECT_THAT(OneLayer("RNN", 1, 2).names(),
              ElementsAre("RESHAPE", "RNN", "RESHAPE", "RNN", "RESHAPE", "CONCATENATION"));
  EXPECT_THAT(OneLayer("LSTM", 4).names(),
              ElementsAre("RESHAPE", "UNIDIRECTIONAL_SEQUENCE_LSTM", "SLICE", "RESHAPE"));
}

TEST(RecurrentOfOnnx, CellsFollowFromAttributes) {
  const auto made = [](const OneLayer& layer) {
    return std::get<Recurrent>(layer.ops().at(1).attributes);
  };
  EXPECT_EQ(made(OneLayer("GRU", 3)), Recurrent{.cell = Cell::kGruResetBefore});
  EXPECT_EQ(made(OneLayer("GRU", 3).whole("linear_before_reset", 1)),
            Recurrent{.cell = Cell::kGru});
  EXPECT_EQ(made(OneLayer("RNN", 1).functions({"Relu"})), Recurrent{.cell = Cell::kRelu});
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
  EXPECT_THAT(OneLayer("LSTM", 4).functions({"Sigmoid", "Relu", "Tanh"}).refusal(),
              HasSubstr("other activations than sigmoid, tanh, tanh"));
  EXPECT_THAT(OneLayer("GRU", 3).functions({"HardSigmoid", "Tanh"}).refusal(),
              HasSubstr("other activations than sigmoid, tanh"));
  EXPECT_THAT(OneLayer("RNN", 1).functions({"Elu"}).refusal(),
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
  EXPECT_THAT(layer.input("computed", {1, kUnits, kUnits}).refusal(),
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
