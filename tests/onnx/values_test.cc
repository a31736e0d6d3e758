// SPDX-License-Identifier: Apache-2.0
// What ONNX Runtime 1.30 makes of models that are in no suite, and what of them is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/onnx/small_model.h"

namespace thimble::onnx {
namespace {

using enum ElementType;
using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::HasSubstr;

TEST(OnnxValues, IntegersWrapAroundInCasts) {
  const SmallModel whole = SmallModel()
                               .input("x", kInt32, {4})
                               .node("Cast", {"x"}, {"y"})
                               .whole("to", static_cast<int64_t>(kUint8))
                               .output("y", kUint8);
  EXPECT_THAT(whole.run<uint8_t>(bytes_of<int32_t>({300, -1, 5, 1 << 30 | 3})),
              ElementsAre(44, 255, 5, 3));
  const SmallModel small = SmallModel()
                               .input("x", kInt8, {4})
                               .node("Cast", {"x"}, {"y"})
                               .whole("to", static_cast<int64_t>(kUint8))
                               .output("y", kUint8);
  EXPECT_THAT(small.run<uint8_t>(bytes_of<int8_t>({-1, -128, 5, 127})),
              ElementsAre(255, 128, 5, 127));
}

TEST(OnnxValues, NumbersAreTrueUnlessZero) {
  const SmallModel model = SmallModel()
                               .input("x", kFloat, {3})
                               .node("Cast", {"x"}, {"y"})
                               .whole("to", static_cast<int64_t>(kBool))
                               .output("y", kBool);
  EXPECT_THAT(model.run<uint8_t>(bytes_of<float>({-0.5F, 0, 3})), ElementsAre(1, 0, 1));
}

SmallModel power(float exponent) {
  return SmallModel()
      .input("x", kInt32, {3})
      .constant<float>("e", kFloat, {}, {exponent})
      .node("Pow", {"x", "e"}, {"y"})
      .output("y", kInt32);
}

TEST(OnnxValues, PowersOfIntegersAreExact) {
  EXPECT_THAT(power(2).run<int32_t>(bytes_of<int32_t>({5001, -3, 7})),
              ElementsAre(25010001, 9, 49));
  EXPECT_THAT(power(3).run<int32_t>(bytes_of<int32_t>({100000, -3, 1})),
              ElementsAre(-1530494976, -27, 1));
  EXPECT_THAT(power(0.5F).refusal(), HasSubstr("a constant exponent from 1 to 16"));
}

TEST(OnnxValues, TheAxisOfAFourierTransformIsTheLastButOneFromOpset20) {
  // A row of 1, 2: sum 3, difference -1. Along the other axis: rows themselves.
  const auto model = [](int64_t opset) {
    return SmallModel(opset)
        .input("x", kFloat, {1, 1, 2, 1})
        .node("DFT", {"x"}, {"y"})
        .output("y", kFloat);
  };
  const auto near = [](float v) { return FloatNear(v, 1e-5F); };
  EXPECT_THAT(model(20).run<float>(bytes_of<float>({1, 2})),
              ElementsAre(near(3), near(0), near(-1), near(0)));
  EXPECT_THAT(model(19).run<float>(bytes_of<float>({1, 2})),
              ElementsAre(near(1), near(0), near(2), near(0)));
}

TEST(OnnxValues, OneSidedFourierTransformsAreOfReals) {
  const auto model = [](int64_t parts) {
    return SmallModel(20)
        .input("x", kFloat, {1, 4, parts})
        .node("DFT", {"x"}, {"y"})
        .whole("onesided", 1)
        .output("y", kFloat);
  };
  EXPECT_EQ(model(1).refusal(), "");
  EXPECT_THAT(model(2).refusal(), HasSubstr("onesided, of complex numbers"));
  EXPECT_THAT(model(1).whole("inverse", 1).refusal(), HasSubstr("inverse and onesided"));
}

TEST(OnnxValues, AveragesOverDepthAreOfWhatCounts) {
  const Bytes x = bytes_of<float>({1, 2, 4});
  SmallModel dilated(19);
  dilated.input("x", kFloat, {1, 1, 3, 1, 1}).node("AveragePool", {"x"}, {"y"});
  dilated.wholes("kernel_shape", {2, 1, 1}).wholes("dilations", {2, 1, 1});
  dilated.wholes("pads", {1, 0, 0, 1, 0, 0}).output("y", kFloat);
  EXPECT_THAT(dilated.run<float>(x), ElementsAre(2, 2.5F, 2));
  SmallModel cut(19);
  cut.input("x", kFloat, {1, 1, 3, 1, 1}).node("AveragePool", {"x"}, {"y"});
  cut.wholes("kernel_shape", {2, 1, 1}).wholes("strides", {2, 1, 1}).whole("ceil_mode", 1);
  cut.whole("count_include_pad", 1).output("y", kFloat);
  EXPECT_THAT(cut.run<float>(x), ElementsAre(1.5F, 4));
}

TEST(OnnxValues, DynamicScalesOfZerosAreOne) {
  const SmallModel model = SmallModel()
                               .input("x", kFloat, {2})
                               .node("DynamicQuantizeLinear", {"x"}, {"y", "s", "z"})
                               .output("s", kFloat)
                               .output("y", kUint8);
  EXPECT_THAT(model.run<float>(bytes_of<float>({0, 0})), ElementsAre(1));
  EXPECT_THAT(model.run<uint8_t>(bytes_of<float>({0, 0}), 1), ElementsAre(0, 0));
}

SmallModel quantising() {
  return SmallModel(21)
      .input("x", kFloat, {2})
      .constant<float>("s", kFloat, {}, {0.02F})
      .node("QuantizeLinear", {"x", "s"}, {"y"})
      .output("y", kInt8);
}

TEST(OnnxValues, QuantizeLinearMakesTheTypeThatItSays) {
  SmallModel model = quantising();
  EXPECT_THAT(model.whole("output_dtype", static_cast<int64_t>(kInt8))
                  .run<int8_t>(bytes_of<float>({-1, 1.5F})),
              ElementsAre(-50, 75));
  EXPECT_THAT(quantising().whole("block_size", 1).refusal(), HasSubstr("in blocks"));
  EXPECT_THAT(quantising().whole("precision", 10).refusal(), HasSubstr("precision 10"));
}

TEST(OnnxValues, WindowsHaveTheTypeThatTheySay) {
  const SmallModel model = SmallModel()
                               .input("x", kInt32, {4})
                               .constant<int64_t>("n", kInt64, {}, {4})
                               .node("HannWindow", {"n"}, {"w"})
                               .whole("output_datatype", static_cast<int64_t>(kInt32))
                               .node("Add", {"x", "w"}, {"y"})
                               .output("y", kInt32);
  EXPECT_THAT(model.run<int32_t>(bytes_of<int32_t>({0, 0, 0, 0})), ElementsAre(0, 0, 1, 0));
}

SmallModel uint8_of_reals() {
  return SmallModel()
      .input("x", kFloat, {3})
      .constant<float>("s", kFloat, {}, {0.1F})
      .constant<uint8_t>("z", kUint8, {}, {100})
      .constant<uint8_t>("c", kUint8, {1}, {105})
      .node("QuantizeLinear", {"x", "s", "z"}, {"q"});
}

TEST(OnnxValues, IntegersOfAQuantizeLinearAreNumbers) {
  SmallModel most = uint8_of_reals(), numbers = uint8_of_reals(), joined = uint8_of_reals();
  most.node("Max", {"q", "c"}, {"y"}).output("y", kUint8);
  EXPECT_THAT(most.run<uint8_t>(bytes_of<float>({-1, 0.5F, 3})), ElementsAre(105, 105, 130));
  numbers.node("Cast", {"q"}, {"y"}).whole("to", static_cast<int64_t>(kFloat));
  numbers.output("y", kFloat);
  EXPECT_THAT(numbers.run<float>(bytes_of<float>({-1, 0.5F, 3})), ElementsAre(90, 105, 130));
  joined.node("Concat", {"q", "c"}, {"y"}).whole("axis", 0).output("y", kUint8);
  EXPECT_THAT(joined.refusal(), HasSubstr("uint8 that a QuantizeLinear makes and other uint8"));
}

TEST(OnnxValues, SequencesHoldNoSequences) {
  const SmallModel model = SmallModel()
                               .input("x", kFloat, {2})
                               .node("SequenceConstruct", {"x"}, {"s"})
                               .node("SequenceConstruct", {"s"}, {"t"})
                               .node("ConcatFromSequence", {"t"}, {"y"})
                               .whole("axis", 0)
                               .output("y");
  EXPECT_THAT(model.refusal(), HasSubstr("sequences of sequences"));
}

TEST(OnnxValues, PartsThatOverflowAreRefused) {
  constexpr int64_t kLarge = int64_t{1} << 62;
  const SmallModel model =
      SmallModel()
          .input("x", kFloat, {6})
          .constant<int64_t>("p", kInt64, {5}, {kLarge, kLarge, kLarge, kLarge - 1, 7})
          .node("SplitToSequence", {"x", "p"}, {"s"})
          .node("ConcatFromSequence", {"s"}, {"y"})
          .whole("axis", 0)
          .output("y");
  EXPECT_THAT(model.refusal(), HasSubstr("its parts are not 6 indices"));
}

// Under the sanitizers it is seen that no product of such extents is formed.
TEST(OnnxValues, PaddingsWhoseProductNoIntegerHoldsAreRefused) {
  constexpr int64_t kLarge = int64_t{1} << 62;
  const SmallModel model =
      SmallModel()
          .input("x", kFloat, {1, 3, 4, 5})
          .constant<int64_t>("p", kInt64, {8}, {0, 0, 0, 0, 1 << 22, 256, kLarge, kLarge})
          .node("Pad", {"x", "p"}, {"y"})
          .output("y");
  EXPECT_THAT(model.refusal(), HasSubstr("every tensor is smaller than 2 GiB"));
}

}  // namespace
}  // namespace thimble::onnx
