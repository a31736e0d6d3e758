// SPDX-License-Identifier: Apache-2.0
// Convolutions and fully connected layers on numbers that can be checked by hand.
#include <gtest/gtest.h>

#include "tests/runtime/tensors.h"
#include "thimble_runtime/kernels.h"

namespace thimble::testing {
namespace {

using namespace runtime;
using Values = std::vector<int8_t>;

// x * 1: 2^30 * 2 / 2^31.
constexpr int32_t kOnes[] = {1 << 30, 1 << 30, 1 << 30, 1 << 30, 1 << 30, 1 << 30};
constexpr int8_t kLeftByOne[] = {1, 1, 1, 1, 1, 1};
constexpr ChannelScales kUnit{kOnes, kLeftByOne};

template <class Run>
Values run(const Values& x, const Extents& in, const Extents& out, Run kernel) {
  auto source = store(x, in);
  auto target = allocate<int8_t>(out, whole(out), Layout::kRowMajor);
  kernel(source.view, target.view, whole(out));
  return elements(target, whole(out));
}

TEST(Conv2D, SumsTheWindow) {
  const Values weights{1, 2, 3, 4};  // one channel, 2 x 2
  const int32_t bias[] = {10};
  const Conv2DParams p{weights.data(), bias, kUnit, {2, 2, 1, 1, 1, 1, 0, 0, 2, 3}, 1, 1, 0, -1,
                       -128,           127};
  // 1*1 + 2*2 + 3*4 + 4*5 + 10 - 1, 1*2 + 2*3 + 3*5 + 4*6 + 10 - 1
  EXPECT_EQ(run({1, 2, 3, 4, 5, 6}, {1, 2, 3, 1}, {1, 1, 2, 1},
                [&](const auto&... a) { conv_2d(p, a...); }),
            (Values{46, 56}));
}

TEST(Conv2D, PadsWithTheZeroPoint) {
  const Values weights{1, 10, 100};  // 1 x 3
  const int32_t bias[] = {0};
  const Conv2DParams p{weights.data(), bias, kUnit, {1, 3, 1, 1, 1, 1, 0, 1, 1, 2}, 1, 1, -1, 0,
                       -128,           127};
  // -1 + 10*3 - 100*1, 3*1 - 10 - 100 (the last tap is padding: -1)
  EXPECT_EQ(run({3, -1}, {1, 1, 2, 1}, {1, 1, 2, 1}, [&](const auto&... a) { conv_2d(p, a...); }),
            (Values{-71, -107}));
}

TEST(Conv2D, ScalesEachChannelAndClamps) {
  const Values weights{4, 4, 4, 4, 100};
  const int32_t bias[] = {0, 0, 0, 0, 0};
  const int32_t multipliers[] = {1 << 30, 1 << 30, 1 << 30, 3 << 29, 1 << 30};
  const int8_t shifts[] = {1, 0, -1, 0, 1};
  const Conv2DParams p{
      weights.data(), bias, {multipliers, shifts}, {1, 1, 1, 1, 1, 1, 0, 0, 1, 1}, 1, 5, 0, 0,
      -128,           90};
  EXPECT_EQ(run({3}, {1, 1, 1, 1}, {1, 1, 1, 5}, [&](const auto&... a) { conv_2d(p, a...); }),
            (Values{12, 6, 3, 9, 90}));
}

TEST(Conv2D, KeepsGroupsApart) {
  const Values weights{1, 1, 2, 2};  // two channels of 1 x 1 x 2
  const int32_t bias[] = {0, 0};
  const Conv2DParams p{weights.data(), bias, kUnit, {1, 1, 1, 1, 1, 1, 0, 0, 1, 1}, 2, 1, 0, 0,
                       -128,           127};
  EXPECT_EQ(
      run({1, 2, 3, 4}, {1, 1, 1, 4}, {1, 1, 1, 2}, [&](const auto&... a) { conv_2d(p, a...); }),
      (Values{3, 14}));
}

TEST(Conv2D, StridesAndDilates) {
  const Values weights{1, 10};
  const int32_t bias[] = {0};
  const Conv2DParams p{weights.data(), bias, kUnit, {1, 2, 1, 2, 1, 3, 0, 0, 1, 6}, 1, 1, 0, 0,
                       -128,           127};
  EXPECT_EQ(run({1, 2, 3, 4, 5, 6}, {1, 1, 6, 1}, {1, 1, 2, 1},
                [&](const auto&... a) { conv_2d(p, a...); }),
            (Values{41, 63}));
}

TEST(Conv2DNibbles, ReadsTwoWeightsOfAByteTheLowerHalfFirst) {
  // Two channels of three inputs: 1, -2, 3 and -8, 7, -1; the last half of each is filled up.
  const Values bytes{static_cast<int8_t>(0xe1), 0x03, 0x78, 0x0f};
  const int32_t bias[] = {0, 100};
  const Conv2DParams p{bytes.data(), bias, kUnit, {1, 1, 1, 1, 1, 1, 0, 0, 1, 1}, 3, 2, 0, 0,
                       -128,         127};
  // 1*1 - 2*2 + 3*3, -8*1 + 7*2 - 1*3 + 100
  EXPECT_EQ(run({1, 2, 3}, {1, 1, 1, 3}, {1, 1, 1, 2},
                [&](const auto&... a) { conv_2d_nibbles(p, a...); }),
            (Values{6, 103}));
}

TEST(DepthwiseConv2D, ReadsItsOwnChannel) {
  const Values weights{1, 2, 3, 4, 5, 1, 1, 1, 1, 1};  // 1 x 2, five channels
  const int32_t bias[] = {0, 0, 0, 0, 1};
  const DepthwiseConv2DParams p{
      weights.data(), bias, kUnit, {1, 2, 1, 1, 1, 1, 0, 0, 1, 2}, 5, 1, 0, 0, -128, 127};
  EXPECT_EQ(run({1, 2, 3, 4, 5, 10, 20, 30, 40, 50}, {1, 1, 2, 5}, {1, 1, 1, 5},
                [&](const auto&... a) { depthwise_conv_2d(p, a...); }),
            (Values{11, 24, 39, 56, 76}));
}

TEST(DepthwiseConv2D, MultipliesChannels) {
  const Values weights{1, 2, 3, 4, 5, 6};
  const int32_t bias[] = {0, 0, 0, 0, 0, 0};
  const DepthwiseConv2DParams p{
      weights.data(), bias, kUnit, {1, 1, 1, 1, 1, 1, 0, 0, 1, 1}, 6, 3, 0, 0, -128, 127};
  EXPECT_EQ(run({1, 10}, {1, 1, 1, 2}, {1, 1, 1, 6},
                [&](const auto&... a) { depthwise_conv_2d(p, a...); }),
            (Values{1, 2, 3, 40, 50, 60}));
}

TEST(FullyConnected, SubtractsBothZeroPoints) {
  auto x = store(Values{3, 5}, {1, 1, 1, 2});
  auto weights = store(Values{1, 2, 3, 4}, {1, 1, 2, 2});
  auto out = allocate<int8_t>({1, 1, 1, 2}, whole({1, 1, 1, 2}), Layout::kRowMajor);
  const int32_t bias[] = {0, 100};
  const FullyConnectedParams p{bias, kUnit, 2, 1, 2, 0, -128, 127};
  fully_connected(p, x.view, weights.view, out.view, whole({1, 1, 1, 2}));
  // 2 * -1 + 4 * 0, 2 * 1 + 4 * 2 + 100
  EXPECT_EQ(elements(out, whole({1, 1, 1, 2})), (Values{-2, 110}));
}

TEST(BatchMatMul, MultipliesRowsByColumns) {
  auto x = store(Values{3, 5, 1, 1}, {1, 1, 2, 2});
  auto y = store(Values{1, 3, 2, 4}, {1, 1, 2, 2});
  std::swap(y.view.stride[2], y.view.stride[3]);  // column o is at x = o
  auto out = allocate<int8_t>({1, 1, 2, 2}, whole({1, 1, 2, 2}), Layout::kRowMajor);
  const BatchMatMulParams p{2, {1, 2}, 7, {1 << 30, 1}};
  batch_matmul(p, x.view, y.view, out.view, whole({1, 1, 2, 2}));
  // {2, 4} and {0, 0} times {-1, 0} and {1, 2}
  EXPECT_EQ(elements(out, whole({1, 1, 2, 2})), (Values{5, 17, 7, 7}));
}

}  // namespace
}  // namespace thimble::testing
