// SPDX-License-Identifier: Apache-2.0
// Single operators on literal values small enough to compute by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/reference/one_op.h"

namespace thimble::testing {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;

TEST(Conv2D, PadsWithTheInputZeroPoint) {
  // 1x3 window of ones over a row of three, zero point 10: padding adds nothing, not -10.
  OneOp op{Conv2D{.window = {.kernel_w = 3, .padding = {.left = 1, .right = 1}}}};
  op.input(int8({1, 1, 3, 1}, {11, 12, 13}, 1, 10));
  op.input(int8({1, 1, 3, 1}, {1, 1, 1}));
  EXPECT_THAT(op.run_int8({1, 1, 3, 1}), ElementsAre(3, 6, 5));
}

TEST(Conv2D, GroupsReadTheirOwnChannels) {
  OneOp op{Conv2D{}};
  op.input(int8({1, 1, 1, 4}, {1, 2, 3, 4}));
  op.input(int8({2, 1, 1, 2}, {1, 1, 1, 1}));
  op.input(bias({0, 10}));
  EXPECT_THAT(op.run_int8({1, 1, 1, 2}), ElementsAre(3, 17));
}

TEST(Conv2D, DilationSpreadsTheTaps) {
  OneOp op{Conv2D{.window = {.kernel_h = 2, .dilation_h = 2}}};
  op.input(int8({1, 4, 1, 1}, {1, 2, 4, 8}));
  op.input(int8({1, 2, 1, 1}, {1, 1}));
  EXPECT_THAT(op.run_int8({1, 2, 1, 1}), ElementsAre(5, 10));
}

TEST(Conv2D, ScalesEachChannelAndRoundsTwice) {
  OneOp op{Conv2D{}};
  op.input(int8({1, 1, 1, 1}, {3}));
  Tensor weights = int8({3, 1, 1, 1}, {1, 1, -1});
  weights.quantization = {.scales = {1, 0.5, 0.5}, .zero_points = {0, 0, 0}, .axis = 0};
  op.input(weights);
  EXPECT_THAT(op.run_int8({1, 1, 1, 3}), ElementsAre(3, 2, -1));
}

TEST(Conv2D, ActivationsClampRealValues) {
  const std::vector<std::pair<Activation, std::vector<int>>> cases = {
      {Activation::kNone, {-8, 6, 40}},
      {Activation::kRelu, {2, 6, 40}},
      {Activation::kReluN1To1, {0, 4, 4}},
      {Activation::kRelu6, {2, 6, 14}},
  };
  for (const auto& [activation, expected] : cases) {
    OneOp op{Conv2D{.activation = activation}};
    op.input(int8({1, 1, 3, 1}, {-5, 2, 19}));
    op.input(int8({1, 1, 1, 1}, {1}));
    // Output scale 1/2 and zero point 2: real 6 is 14; inputs have scale 1.
    EXPECT_THAT(op.run_int8({1, 1, 3, 1}, 0.5f, 2), ElementsAreArray(expected));
  }
}

TEST(DepthwiseConv2D, MultiplierRepeatsInputChannels) {
  OneOp op{DepthwiseConv2D{.multiplier = 2}};
  op.input(int8({1, 1, 1, 2}, {3, 5}));
  op.input(int8({1, 1, 1, 4}, {1, 2, 1, 2}));
  EXPECT_THAT(op.run_int8({1, 1, 1, 4}), ElementsAre(3, 6, 5, 10));
}

TEST(FullyConnected, RemovesTheZeroPointOfWeights) {
  OneOp op{FullyConnected{}};
  op.input(int8({2, 2}, {1, 2, 3, 4}));
  op.input(int8({1, 2}, {5, 6}, 1, 4));
  op.input(bias({-1}));
  EXPECT_THAT(op.run_int8({2, 1}), ElementsAre(4, 10));
}

// float(1/3) * 1.5 is 1/2 in float32 and a little more in double: -1/2 rounds up, less rounds down.
TEST(FullyConnected, FormsTheProductOfScalesInFloat32UnlikeAConvolution) {
  OneOp dense{FullyConnected{}};
  dense.input(int8({1, 1}, {-1}, 1.0f / 3));
  dense.input(int8({1, 1}, {1}, 1.5f));
  EXPECT_THAT(dense.run_int8({1, 1}), ElementsAre(0));
  OneOp convolution{Conv2D{}};
  convolution.input(int8({1, 1, 1, 1}, {-1}, 1.0f / 3));
  convolution.input(int8({1, 1, 1, 1}, {1}, 1.5f));
  EXPECT_THAT(convolution.run_int8({1, 1, 1, 1}), ElementsAre(-1));
}

TEST(BatchMatMul, RemovesBothZeroPoints) {
  OneOp op{BatchMatMul{}};
  op.input(int8({2, 2}, {3, 5, 1, 1}, 1, 1));
  op.input(int8({2, 2}, {1, 3, 2, 4}, 1, 2));
  EXPECT_THAT(op.run_int8({2, 2}, 1, 7), ElementsAre(5, 17, 7, 7));
}

TEST(BatchMatMul, TurnsAdjointsAndRepeatsOneBatch) {
  OneOp op{BatchMatMul{true, true}};
  op.input(int8({2, 2, 1}, {1, 2, 3, 4}));  // columns of two batches
  op.input(int8({1, 1, 2}, {5, 6}));
  EXPECT_THAT(op.run_int8({2, 1, 1}), ElementsAre(17, 39));
}

TEST(AveragePool2D, RoundsAwayFromZeroAndLeavesPaddingOut) {
  OneOp op{AveragePool2D{.window = {.kernel_w = 2, .padding = {.right = 1}}}};
  op.input(int8({1, 1, 3, 1}, {-1, -2, 5}, 1, 7));
  EXPECT_THAT(op.run_int8({1, 1, 3, 1}, 1, 7), ElementsAre(-2, 2, 5));
}

TEST(MaxPool2D, PaddingNeverWins) {
  OneOp op{MaxPool2D{.window = {.kernel_h = 3, .padding = {.top = 1, .bottom = 1}}}};
  op.input(int8({1, 2, 1, 1}, {-128, -100}));
  EXPECT_THAT(op.run_int8({1, 2, 1, 1}), ElementsAre(-100, -100));
}

TEST(Mean, ReducesAnyAxes) {
  OneOp op{Mean{.axes = {0, 2}}};
  op.input(int8({2, 2, 2}, {1, 3, 10, 20, 5, 7, 30, 40}));
  EXPECT_THAT(op.run_int8({2}), ElementsAre(4, 25));
}

TEST(Add, BroadcastsUpToSixAxesAndFromAScalar) {
  OneOp op{Add{}};
  op.input(int8({}, {100}));
  op.input(int8({1, 2, 1, 1, 2, 1}, {1, 2, 3, 40}));
  EXPECT_THAT(op.run_int8({1, 2, 1, 1, 2, 1}), ElementsAre(101, 102, 103, 127));
}

TEST(Add, BroadcastsBothOperandsAtOnce) {
  OneOp op{Add{}};
  op.input(int8({2, 1}, {10, 20}));
  op.input(int8({1, 3}, {1, 2, 3}));
  EXPECT_THAT(op.run_int8({2, 3}), ElementsAre(11, 12, 13, 21, 22, 23));
}

// 1 * (1 - 2^-18) / 2 is below a half by what 20 bits of shift still tell, and 19 do not.
TEST(Add, KeepsTwentyBitsBelowTheUnit) {
  OneOp op{Add{}};
  op.input(int8({1}, {0}));
  op.input(int8({1}, {1}, 1 - 0x1p-18f));
  EXPECT_THAT(op.run_int8({1}, 2), ElementsAre(0));
}

TEST(Mul, CentresBothOperands) {
  OneOp op{Mul{.activation = Activation::kRelu}};
  op.input(int8({3}, {3, 4, -1}, 1, 2));
  op.input(int8({1}, {5}, 1, 1));
  EXPECT_THAT(op.run_int8({3}, 1, -3), ElementsAre(1, 5, -3));
}

TEST(Pad, FramesWithItsValueInEveryType) {
  OneOp op{Pad{.before = {1, 0}, .after = {0, 1}, .value = -3}};
  op.input(constant<int16_t>(DType::kInt16, {1, 2}, {100, 200}, 1));
  EXPECT_THAT(op.run<int16_t>(DType::kInt16, {2, 3}), ElementsAre(-3, -3, -3, 100, 200, -3));
}

TEST(Transpose, MovesAxes) {
  OneOp op{Transpose{.permutation = {1, 2, 0}}};
  op.input(int8({2, 1, 3}, {1, 2, 3, 4, 5, 6}));
  EXPECT_THAT(op.run_int8({1, 3, 2}), ElementsAre(1, 4, 2, 5, 3, 6));
}

TEST(Softmax, EqualChannelsShareEvenly) {
  OneOp op{Softmax{}};
  op.input(int8({1, 4}, {7, 7, 7, 7}));
  EXPECT_THAT(op.run_int8({1, 4}, 1.0f / 256, -128), ElementsAre(-64, -64, -64, -64));
}

TEST(Softmax, FarBelowTheMaximumIsZeroAndOneSaturates) {
  OneOp op{Softmax{}};
  op.input(int8({1, 2}, {127, -128}));
  EXPECT_THAT(op.run_int8({1, 2}, 1.0f / 256, -128), ElementsAre(127, -128));
}

TEST(Softmax, ManyEqualChannelsRoundToZero) {
  for (int64_t channels : {512, 1000, 4096}) {
    OneOp op{Softmax{}};
    op.input(int8({1, channels}, std::vector<int8_t>(static_cast<size_t>(channels), 5)));
    EXPECT_THAT(op.run_int8({1, channels}, 1.0f / 256, -128), Each(-128)) << channels;
  }
}

TEST(Logistic, FollowsTheRealFunction) {
  OneOp op{Logistic{}};
  op.input(int8({5}, {-100, -20, 10, 30, 120}, 0.1f, 10));
  // 1 / (1 + e^11), e^3, e^0, e^-2, e^-11, times 256, less 128.
  EXPECT_THAT(op.run_int8({5}, 1.0f / 256, -128), ElementsAre(-128, -116, 0, 97, 127));
}

TEST(Logistic, SaturatesBeyondTheFixedPointRange) {
  OneOp op{Logistic{}};
  op.input(int8({3}, {-1, 0, 1}, 4, 0));
  EXPECT_THAT(op.run_int8({3}, 1.0f / 256, -128), ElementsAre(-128, 0, 127));
}

TEST(Logistic, TakesZeroForTheLowestWhereAStepExceedsTheRange) {  // as the original does
  OneOp op{Logistic{}};
  op.input(int8({3}, {-1, 0, 1}, 8, 0));
  EXPECT_THAT(op.run_int8({3}, 1.0f / 256, -128), ElementsAre(-128, -128, 127));
}

TEST(Sub, ScalesBothAndBroadcasts) {
  OneOp op{Sub{}};
  op.input(int8({2, 2}, {10, 20, 30, 40}, 0.5F, 0));  // 5, 10, 15, 20
  op.input(int8({2}, {4, 8}, 1, 0));
  EXPECT_THAT(op.run_int8({2, 2}), ElementsAre(1, 2, 11, 12));
}

TEST(Sub, ClampsToItsActivation) {
  OneOp op{Sub{Activation::kRelu}};
  op.input(int8({2}, {10, 1}));
  op.input(int8({2}, {4, 8}));
  EXPECT_THAT(op.run_int8({2}, 1, -10), ElementsAre(-4, -10));
}

TEST(Sub, OfInt32WrapsAround) {
  OneOp op{Sub{}};
  op.input(bias({INT32_MIN, 7}));
  op.input(bias({1, -3}));
  EXPECT_THAT(op.run<int32_t>(DType::kInt32, {2}), ElementsAre(INT32_MAX, 10));
}

TEST(Div, OverZeroIsTheEndOfTheRange) {
  OneOp op{Div{}};
  op.input(int8({4}, {6, 6, -6, 2}, 1, 2));
  op.input(int8({4}, {3, 1, 1, 1}, 1, 1));
  EXPECT_THAT(op.run_int8({4}, 1, 5), ElementsAre(7, 127, -128, 5));
}

TEST(Div, OfInt32RoundsTowardsZeroAndWrapsAround) {
  OneOp op{Div{}};
  op.input(bias({-7, 7, INT32_MIN, 3}));
  op.input(bias({2, -2, -1, 0}));
  EXPECT_THAT(op.run<int32_t>(DType::kInt32, {4}), ElementsAre(-3, -3, INT32_MIN, 0));
}

TEST(Sum, IsNotDivided) {
  OneOp op{Sum{{1}}};
  op.input(int8({2, 3}, {1, 2, 3, -4, -5, -6}, 1, 1));
  EXPECT_THAT(op.run_int8({2, 1}, 2, 10), ElementsAre(12, 1));  // 3 and -18
}

TEST(Comparison, IsOfRealValues) {
  OneOp op{Comparison{Relation::kGreater}};
  op.input(int8({3}, {10, 20, 30}, 0.25F, 10));  // 0, 2.5, 5
  op.input(int8({}, {9}, 0.5F, 4));              // 2.5
  EXPECT_THAT(op.run<uint8_t>(DType::kBool, {3}), ElementsAre(0, 0, 1));
}

TEST(Cast, KeepsTheLowBitsOfWhatDoesNotFit) {
  OneOp whole{Cast{}};
  whole.input(bias({300, -129}));
  EXPECT_THAT(whole.run_int8({2}), ElementsAre(44, 127));
  OneOp real{Cast{}};
  real.input(constant<float>(DType::kFloat32, {5}, {-1.9F, 300.5F, 1e20F, -1e20F, NAN}, 1));
  EXPECT_THAT(real.run<int16_t>(DType::kInt16, {5}), ElementsAre(-1, 300, -1, 0, 0));
}

TEST(ArgMax, IsTheFirstOfSeveral) {
  OneOp largest{ArgMax{1}}, smallest{ArgMax{0, true}};
  for (OneOp* op : {&largest, &smallest}) op->input(int8({2, 3}, {1, 5, 5, 7, 5, 0}));
  EXPECT_THAT(largest.run<int32_t>(DType::kInt32, {2}), ElementsAre(1, 0));
  EXPECT_THAT(smallest.run<int32_t>(DType::kInt32, {3}), ElementsAre(0, 0, 1));
}

TEST(ArgMax, IsTheLastOfSeveralWhereAsked) {
  OneOp largest{ArgMax{.axis = 1, .last = true}},
      smallest{ArgMax{.axis = 1, .least = true, .last = true}};
  for (OneOp* op : {&largest, &smallest}) op->input(int8({2, 3}, {1, 5, 5, 7, 5, 5}));
  EXPECT_THAT(largest.run<int32_t>(DType::kInt32, {2}), ElementsAre(2, 0));
  EXPECT_THAT(smallest.run<int32_t>(DType::kInt32, {2}), ElementsAre(0, 2));
}

Tensor int32(const Shape& shape, const std::vector<int32_t>& values) {
  return constant(DType::kInt32, shape, values, 1);
}

TEST(Gather, TakesWhatIndicesSay) {
  OneOp rows{Gather{0}}, columns{Gather{1}};
  for (OneOp* op : {&rows, &columns}) op->input(int8({2, 3}, {1, 2, 3, 4, 5, 6}));
  rows.input(int32({2, 1}, {1, 0}));
  EXPECT_THAT(rows.run_int8({2, 1, 3}), ElementsAre(4, 5, 6, 1, 2, 3));
  columns.input(int32({}, {2}));
  EXPECT_THAT(columns.run_int8({2}), ElementsAre(3, 6));
}

TEST(Gather, TakesTheEndWhereAnIndexIsBeyondIt) {
  OneOp op{Gather{0}};
  op.input(int8({3}, {7, 8, 9}));
  op.input(int32({4}, {INT32_MIN, -1, 3, INT32_MAX}));
  EXPECT_THAT(op.run_int8({4}), ElementsAre(7, 7, 9, 9));
}

TEST(Gather, HasIndicesForEachBatch) {
  OneOp op{Gather{1, 1}};
  op.input(int8({2, 3}, {1, 2, 3, 4, 5, 6}));
  op.input(int32({2, 2}, {0, 2, 1, 1}));
  EXPECT_THAT(op.run_int8({2, 2}), ElementsAre(1, 3, 5, 5));
}

TEST(UpdateSlice, LiesWhereItBegins) {
  OneOp inside{UpdateSlice{}}, beyond{UpdateSlice{}};
  for (OneOp* op : {&inside, &beyond}) {
    op->input(int8({2, 4}, {1, 2, 3, 4, 5, 6, 7, 8}));
    op->input(int8({1, 2}, {90, 91}));
  }
  inside.input(int32({2}, {1, 1}));
  EXPECT_THAT(inside.run_int8({2, 4}), ElementsAre(1, 2, 3, 4, 5, 90, 91, 8));
  beyond.input(int32({2}, {-5, 9}));
  EXPECT_THAT(beyond.run_int8({2, 4}), ElementsAre(1, 2, 90, 91, 5, 6, 7, 8));
}

TEST(FloorDiv, OfInt32RoundsDown) {
  OneOp quotient{FloorDiv{}}, remainder{FloorDiv{true}};
  for (OneOp* op : {&quotient, &remainder}) {
    op->input(int32({7}, {7, -7, 7, -7, 6, 5, INT32_MIN}));
    op->input(int32({7}, {2, 2, -2, -2, 3, 0, -1}));
  }
  EXPECT_THAT(quotient.run<int32_t>(DType::kInt32, {7}),
              ElementsAre(3, -4, -4, 3, 2, 0, INT32_MIN));
  EXPECT_THAT(remainder.run<int32_t>(DType::kInt32, {7}), ElementsAre(1, 1, -1, -1, 0, 0, 0));
}

// 1 / sqrt(raw / 1000), in 1/1000: 31623 of raw 1.
TEST(Rsqrt, OfInt16FollowsTheRealFunction) {
  OneOp op{Rsqrt{}};
  op.input(constant<int16_t>(DType::kInt16, {7}, {-5, 0, 1, 4, 100, 1000, 32767}, 0.001F));
  EXPECT_THAT(op.run<int16_t>(DType::kInt16, {7}, 0.001F),
              ElementsAre(32767, 32767, 31623, 15811, 3162, 1000, 175));
}

Tensor real(const Shape& shape, const std::vector<float>& values) {
  return constant(DType::kFloat32, shape, values, 1);
}

// Boxes of height and width 1: the second covers most of the first, the third neither.
OneOp three_boxes(DetectionPostProcess a) {
  a.max_detections = 3;
  a.classes = 2;
  a.score_threshold = 0.25F;
  a.iou_threshold = 0.5F;
  OneOp op{a};
  op.input(real({1, 3, 4}, std::vector<float>(12, 0)));
  op.input(real({1, 3, 2}, {0.9F, 0.1F, 0.2F, 0.8F, 0.3F, 0.7F}));
  op.input(real({3, 4}, {0.5F, 0.5F, 1, 1, 0.5F, 0.625F, 1, 1, 2.5F, 2.5F, 1, 1}));
  return op;
}

TEST(DetectionPostProcess, LeavesOutWhatABetterBoxCovers) {
  EXPECT_THAT(three_boxes({}).run<float>(DType::kFloat32, {19}),
              ElementsAre(0, 0, 1, 1, 2, 2, 3, 3, 0, 0, 0, 0, 0, 1, 0, 0.9F, 0.7F, 0, 2));
}

TEST(DetectionPostProcess, OfEachClassByItself) {
  const std::vector<float> all =
      three_boxes({.detections_per_class = 2, .regular = true}).run<float>(DType::kFloat32, {27});
  EXPECT_THAT(
      std::vector<float>(all.begin(), all.begin() + 19),
      ElementsAre(0, 0, 1, 1, 0, 0.125F, 1, 1.125F, 2, 2, 3, 3, 0, 1, 1, 0.9F, 0.8F, 0.7F, 3));
}

// y and x move by a tenth of the anchor's size, e^ln 2 doubles the height.
TEST(DetectionPostProcess, DecodesAgainstAnAnchor) {
  OneOp op{DetectionPostProcess{.scales = {10, 10, 5, 5}}};
  op.input(real({1, 1, 4}, {1, -1, 5 * 0.6931472F, 0}));
  op.input(real({1, 1, 2}, {0, 1}));  // the first is the background
  op.input(real({1, 4}, {10, 20, 4, 2}));
  const std::vector<float> found = op.run<float>(DType::kFloat32, {7});
  const float wanted[] = {6.4F, 18.8F, 14.4F, 20.8F, 0, 1, 1};
  for (size_t k = 0; k < 7; ++k) EXPECT_NEAR(found[k], wanted[k], 1e-5F) << k;
}

// One value of a raw 0 too many, as the original has it: -2.
TEST(CumSum, BeginsWithARawZero) {
  OneOp forwards{CumSum{0}}, backwards{CumSum{0, true, true}};
  for (OneOp* op : {&forwards, &backwards}) op->input(int8({3}, {3, 4, 5}, 1, 2));
  EXPECT_THAT(forwards.run_int8({3}), ElementsAre(-1, 1, 4));
  EXPECT_THAT(backwards.run_int8({3}), ElementsAre(3, 1, -2));
}

TEST(L2Normalization, FollowsTheRealFunction) {
  OneOp op{L2Normalization{}};
  op.input(int8({2, 2}, {4, 5, 1, 1}, 1, 1));  // 3, 4 and 0, 0
  EXPECT_THAT(op.run_int8({2, 2}, 1.0F / 128), ElementsAre(77, 102, 0, 0));
}

TEST(SquaredDifference, IsSymmetricAndBroadcasts) {
  for (const bool swapped : {false, true}) {
    OneOp op{SquaredDifference{}};
    if (swapped) op.input(int8({1, 1}, {3}, 0.5F, 1));
    op.input(int8({1, 3}, {-4, 1, 6}));
    if (!swapped) op.input(int8({1, 1}, {3}, 0.5F, 1));  // 1
    EXPECT_THAT(op.run_int8({1, 3}), ElementsAre(25, 0, 25)) << swapped;
  }
}

TEST(SquaredDifference, HoldsTheLargestDifference) {
  OneOp op{SquaredDifference{}};
  op.input(int8({1}, {127}));
  op.input(int8({1}, {-128}));
  EXPECT_THAT(op.run_int8({1}, 600, 0), ElementsAre(108));  // 65,025 / 600
}

TEST(Rsqrt, FollowsTheRealFunction) {
  OneOp op{Rsqrt{}};
  op.input(int8({5}, {-127, -124, -112, -28, 127}, 0.25F, -128));  // 1/4, 1, 4, 25, 63.75
  EXPECT_THAT(op.run_int8({5}, 0.02F, 0), ElementsAre(100, 50, 25, 10, 6));
}

TEST(Rsqrt, IsTheLargestValueAtZeroAndBelow) {
  OneOp op{Rsqrt{}};
  op.input(int8({3}, {-1, 0, 1}));
  EXPECT_THAT(op.run_int8({3}, 0.5F, 0), ElementsAre(127, 127, 2));
}

TEST(Gelu, FollowsTheRealFunction) {
  // x Phi(x) of -6, -1, 0, 1, 6: -6e-9, -0.1587, 0, 0.8413, 6.
  for (const bool approximate : {false, true}) {
    OneOp op{Gelu{approximate}};
    op.input(int8({5}, {-60, -10, 0, 10, 60}, 0.1F, 0));
    EXPECT_THAT(op.run_int8({5}, 0.05F, -8), ElementsAre(-8, -11, -8, 9, 112)) << approximate;
  }
}

TEST(Gelu, ApproximationIsAnotherFunction) {
  const auto at_minus_three = [](bool approximate) {
    OneOp op{Gelu{approximate}};
    op.input(int8({1}, {-3}));
    return op.run_int8({1}, 4e-5F, 127)[0];
  };
  EXPECT_EQ(at_minus_three(false), 26);  // -0.004050 / 4e-5 = -101
  EXPECT_EQ(at_minus_three(true), 36);   // -0.003637: -91
}

TEST(Slice, TakesEverySecondFromBegin) {
  OneOp op{Slice{{1, 0}, {1, 2}, {}}};
  op.input(int8({2, 5}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}));
  EXPECT_THAT(op.run_int8({1, 3}), ElementsAre(6, 8, 10));
}

TEST(Slice, RunsBackwardsAndDropsAxes) {
  OneOp op{Slice{{1, 2}, {-1, 1}, {1}}};
  op.input(constant<int16_t>(DType::kInt16, {2, 3}, {1, 2, 3, 4, 5, 600}, 1));
  EXPECT_THAT(op.run<int16_t>(DType::kInt16, {2}), ElementsAre(600, 3));
}

TEST(ResizeNearestNeighbor, CopiesPixelsOfEveryType) {
  OneOp op{ResizeNearestNeighbor{}};
  op.input(constant<int16_t>(DType::kInt16, {1, 1, 2, 2}, {1, 2, 300, 4}, 1));
  EXPECT_THAT(op.run<int16_t>(DType::kInt16, {1, 1, 4, 2}),
              ElementsAre(1, 2, 1, 2, 300, 4, 300, 4));
}

TEST(ResizeNearestNeighbor, RoundsWhereCornersAreAligned) {
  OneOp op{ResizeNearestNeighbor{.align_corners = true}};
  op.input(int8({1, 3, 1, 1}, {1, 2, 3}));
  EXPECT_THAT(op.run_int8({1, 4, 1, 1}), ElementsAre(1, 2, 2, 3));  // 0, 0.67, 1.33, 2
}

TEST(ResizeNearestNeighbor, TakesTheMiddleWithHalfPixelCenters) {
  OneOp op{ResizeNearestNeighbor{.half_pixel_centers = true}};
  op.input(int8({1, 1, 6, 1}, {1, 2, 3, 4, 5, 6}));
  EXPECT_THAT(op.run_int8({1, 1, 2, 1}), ElementsAre(2, 5));
}

TEST(ResizeBilinear, RoundsHalvesAwayFromZero) {
  OneOp op{ResizeBilinear{}};
  op.input(int8({1, 1, 3, 1}, {4, 1, -2}));
  EXPECT_THAT(op.run_int8({1, 1, 6, 1}), ElementsAre(4, 3, 1, -1, -2, -2));  // 2.5 and -0.5
}

TEST(ResizeBilinear, StaysAtTheBorderWithHalfPixelCenters) {
  OneOp op{ResizeBilinear{.half_pixel_centers = true}};
  op.input(int8({1, 2, 1, 1}, {0, 100}));
  EXPECT_THAT(op.run_int8({1, 4, 1, 1}), ElementsAre(0, 25, 75, 100));
}

TEST(ResizeBilinear, ReachesTheCornersWhereTheyAreAligned) {
  OneOp op{ResizeBilinear{.align_corners = true}};
  op.input(int8({1, 2, 2, 1}, {0, 10, 20, 50}));
  EXPECT_THAT(op.run_int8({1, 3, 3, 1}), ElementsAre(0, 5, 10, 10, 20, 30, 20, 35, 50));
}

TEST(Relu, Requantises) {
  OneOp op{Relu{}};
  op.input(int8({3}, {-4, 1, 4}, 1, 0));
  EXPECT_THAT(op.run_int8({3}, 0.5f, -10), ElementsAre(-10, -8, -2));
}

TEST(Relu6, ClampsRawValuesEvenIfScalesDiffer) {
  OneOp op{Relu6{}};
  op.input(int8({3}, {-4, 3, 9}, 1, 1));
  EXPECT_THAT(op.run_int8({3}, 0.5f, -10), ElementsAre(1, 3, 7));
}

TEST(Quantize, RoundsHalfAwayFromZeroAndSaturates) {
  OneOp op{Quantize{}};
  op.input(constant<float>(DType::kFloat32, {5}, {0.5f, -0.5f, 1e30f, -INFINITY, NAN}, 0));
  EXPECT_THAT(op.run_int8({5}, 1, 2), ElementsAre(3, 1, 127, -128, 2));
}

TEST(Quantize, ChangesTheIntegerType) {
  OneOp op{Quantize{}};
  op.input(int8({3}, {-128, 0, 127}));
  EXPECT_THAT(op.run<uint8_t>(DType::kUInt8, {3}, 1, 128), ElementsAre(0, 128, 255));
}

TEST(Dequantize, GivesRealValues) {
  OneOp op{Dequantize{}};
  op.input(int8({2}, {3, -5}, 0.25f, -1));
  EXPECT_THAT(op.run<float>(DType::kFloat32, {2}), ElementsAre(1.0f, -1.0f));
}

TEST(Concat, InterleavesRowsOfItsOperands) {
  OneOp op{Concat{.axis = 1}};
  op.input(int8({2, 1}, {1, 2}));
  op.input(int8({2, 2}, {3, 4, 5, 6}));
  EXPECT_THAT(op.run_int8({2, 3}), ElementsAre(1, 3, 4, 2, 5, 6));
}

}  // namespace
}  // namespace thimble::testing
