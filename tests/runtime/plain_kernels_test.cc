// SPDX-License-Identifier: Apache-2.0
// Kernels without weights on numbers that can be checked by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/runtime/tensors.h"
#include "thimble_runtime/kernels.h"

namespace thimble::testing {
namespace {

using namespace runtime;
using Values = std::vector<int8_t>;

constexpr Scale kOne{1 << 30, 1};
constexpr Scale kHalf{1 << 30, 0};

template <class Out = int8_t, class In, class Run>
std::vector<Out> run(const std::vector<In>& x, const Extents& in, const Extents& out, Run kernel) {
  auto source = store(x, in);
  auto target = allocate<Out>(out, whole(out), Layout::kRowMajor);
  kernel(source.view, target.view, whole(out));
  return elements(target, whole(out));
}

// Runs the kernel on a vector.
template <class Out = int8_t, class In, class Run>
std::vector<Out> map(const std::vector<In>& x, Run kernel) {
  const Extents extents{1, 1, 1, static_cast<int32_t>(x.size())};
  return run<Out>(x, extents, extents, kernel);
}

TEST(AveragePool2D, RoundsHalfAwayFromZero) {
  const Pool2DParams p{{1, 2, 1, 2, 1, 1, 0, 0, 1, 4}, -128, 127};
  EXPECT_EQ(run(Values{1, 2, -1, -2}, {1, 1, 4, 1}, {1, 1, 2, 1},
                [&](const auto&... a) { average_pool_2d(p, a...); }),
            (Values{2, -2}));
}

TEST(AveragePool2D, LeavesPaddingOutOfTheCount) {
  const Pool2DParams p{{1, 3, 1, 3, 1, 1, 0, 1, 1, 3}, -128, 127};
  EXPECT_EQ(run(Values{10, 20, 60}, {1, 1, 3, 1}, {1, 1, 2, 1},
                [&](const auto&... a) { average_pool_2d(p, a...); }),
            (Values{15, 60}));
}

TEST(MaxPool2D, TakesTheLargestAndClamps) {
  const Pool2DParams p{{2, 1, 1, 1, 1, 1, 0, 0, 2, 3}, -100, 50};
  EXPECT_EQ(run(Values{-128, 4, 60, -120, -9, 7}, {1, 2, 3, 1}, {1, 1, 3, 1},
                [&](const auto&... a) { max_pool_2d(p, a...); }),
            (Values{-100, 4, 50}));
}

TEST(Mean, AveragesHeightAndWidth) {
  // 1 / 4 is in the scale: 2^30 * 2^-1 / 2^31.
  const MeanParams p{{1, 2, 2, 2}, {0, 1, 1, 0}, {1 << 30, -1}, 1, -5};
  EXPECT_EQ(run(Values{1, 2, 3, 4, 5, 6, 7, 8}, {1, 2, 2, 2}, {1, 1, 1, 2},
                [&](const auto&... a) { mean(p, a...); }),
            (Values{-2, -1}));  // 12 / 4 - 5, 16 / 4 - 5
}

TEST(Add, ScalesBothAndBroadcasts) {
  // a at twice the scale of b and the output.
  const AddParams p{20, {0, 0}, 0, {{1 << 30, 0}, {1 << 30, -1}}, {1 << 30, -17}, -128, 127};
  auto a = store(Values{1, 2, 3}, {1, 1, 1, 3});
  auto b = store(Values{10}, {1, 1, 1, 1});
  b.view.stride[3] = 0;
  auto out = allocate<int8_t>({1, 1, 1, 3}, whole({1, 1, 1, 3}), Layout::kRowMajor);
  add(p, a.view, b.view, out.view, whole({1, 1, 1, 3}));
  EXPECT_EQ(elements(out, whole({1, 1, 1, 3})), (Values{12, 14, 16}));
}

TEST(Mul, MultipliesLessZeroPoints) {
  const MulParams p{{1, -1}, 2, kHalf, -128, 100};
  auto a = store(Values{3, -4, 50}, {1, 1, 1, 3});
  auto b = store(Values{4, 9, 49}, {1, 1, 1, 3});
  auto out = allocate<int8_t>({1, 1, 1, 3}, whole({1, 1, 1, 3}), Layout::kRowMajor);
  mul(p, a.view, b.view, out.view, whole({1, 1, 1, 3}));
  EXPECT_EQ(elements(out, whole({1, 1, 1, 3})), (Values{7, -23, 100}));
}

TEST(Pad, SurroundsWithTheValue) {
  const PadParams p{{0, 0, 1, 1}, {1, 1, 2, 1}, 9};
  EXPECT_EQ(run(Values{1, 2}, {1, 1, 2, 1}, {1, 1, 3, 2}, [&](const auto&... a) { pad(p, a...); }),
            (Values{9, 9, 9, 1, 9, 2}));
}

TEST(ResizeNearestNeighbor, CopiesThePixelsOfItsTables) {
  const int16_t rows[] = {0, 0, 1}, columns[] = {1};
  EXPECT_EQ(run(Values{1, 2, 3, 4}, {1, 2, 2, 1}, {1, 3, 1, 1},
                [&](const auto&... a) {
                  resize_nearest_neighbor({rows, columns}, a...);
                }),
            (Values{2, 2, 4}));
}

TEST(ResizeBilinear, WeighsFourPixelsAndStaysInside) {
  const ResizeBilinearParams p{{512, -256, 2}, {512, 0, 2}};
  EXPECT_EQ(run(Values{0, 4, 100, 120}, {1, 2, 2, 1}, {1, 4, 2, 1},
                [&](const auto&... a) { resize_bilinear(p, a...); }),
            (Values{0, 2, 25, 29, 75, 83, 100, 110}));
}

TEST(Copy, TransposesThroughStrides) {
  auto x = store(std::vector<int16_t>{1, 2, 3, 4, 5, 6}, {1, 1, 2, 3});
  std::swap(x.view.stride[2], x.view.stride[3]);
  auto out = allocate<int16_t>({1, 1, 3, 2}, whole({1, 1, 3, 2}), Layout::kRowMajor);
  copy_16(x.view, out.view, whole({1, 1, 3, 2}));
  EXPECT_EQ(elements(out, whole({1, 1, 3, 2})), (std::vector<int16_t>{1, 4, 2, 5, 3, 6}));
}

TEST(Copy, RunsBackwardsThroughNegativeStrides) {
  auto x = store(Values{1, 2, 3, 4, 5, 6}, {1, 1, 1, 6});
  x.view.stride[3] = -2;
  x.view.bias = -5;
  auto out = allocate<int8_t>({1, 1, 1, 3}, whole({1, 1, 1, 3}), Layout::kRowMajor);
  copy_8(x.view, out.view, whole({1, 1, 1, 3}));
  EXPECT_EQ(elements(out, whole({1, 1, 1, 3})), (Values{6, 4, 2}));
}

TEST(Copy, MovesEveryWidth) {
  const std::vector<float> reals{1.5F, -2.5F};
  EXPECT_EQ(map<float>(reals, copy_32), reals);
  EXPECT_EQ(map(Values{1, -2}, copy_8), (Values{1, -2}));
}

TEST(Rescale, MovesBetweenTypes) {
  const RescaleParams widen{{1 << 30, 9}, 1, 0, -32768, 32767};
  EXPECT_EQ(map<int16_t>(Values{2, -128}, [&](const auto&... a) { rescale_i8_i16(widen, a...); }),
            (std::vector<int16_t>{256, -32768}));
  const RescaleParams narrow{{1 << 30, -7}, 0, 0, -128, 127};
  EXPECT_EQ(map(std::vector<int16_t>{384, -384, 32767},
                [&](const auto&... a) { rescale_i16_i8(narrow, a...); }),
            (Values{2, -2, 127}));
  EXPECT_EQ(map(std::vector<int32_t>{384, -384, 1 << 20},
                [&](const auto&... a) { rescale_i32_i8(narrow, a...); }),
            (Values{2, -2, 127}));
  const RescaleParams more{{1 << 30, 17},
                           0,
                           0,
                           std::numeric_limits<int32_t>::min(),
                           std::numeric_limits<int32_t>::max()};
  EXPECT_EQ(map<int32_t>(std::vector<int16_t>{1, -3},
                         [&](const auto&... a) { rescale_i16_i32(more, a...); }),
            (std::vector<int32_t>{65536, -196608}));
  const RescaleParams relu{kHalf, -10, 5, 5, 127};
  EXPECT_EQ(map(Values{-20, -10, 30}, [&](const auto&... a) { rescale_i8_i8(relu, a...); }),
            (Values{5, 5, 25}));
}

TEST(Clamp, LimitsRawValues) {
  const ClampParams p{-3, 60};
  EXPECT_EQ(map(Values{-128, 5, 127}, [&](const auto&... a) { clamp(p, a...); }),
            (Values{-3, 5, 60}));
}

TEST(Lookup, TakesTheTableFromTheLowestValueOn) {
  Values table(256, 1);
  table[0] = -7;
  table[127] = 8;
  table[255] = 9;
  const LookupParams p{table.data()};
  EXPECT_EQ(map(Values{-128, -1, 127, 0}, [&](const auto&... a) { lookup_i8(p, a...); }),
            (Values{-7, 8, 9, 1}));
}

TEST(QuantizeF32, RoundsHalfAwayFromZeroAndSaturates) {
  const FloatParams p{0.5F, 10};
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(map(std::vector<float>{0.25F, -0.25F, 0.24F, -0.76F, 1e30F, -infinity, 58.5F},
                [&](const auto&... a) { quantize_f32_i8(p, a...); }),
            (Values{11, 9, 10, 8, 127, -128, 127}));
  EXPECT_EQ(map<int16_t>(std::vector<float>{100.25F, -infinity, infinity},
                         [&](const auto&... a) { quantize_f32_i16(p, a...); }),
            (std::vector<int16_t>{211, -32768, 32767}));
}

TEST(QuantizeF32, TakesNanAsZero) {
  const FloatParams p{0.5F, 10};
  EXPECT_EQ(
      map(std::vector<float>{std::nanf("")}, [&](const auto&... a) { quantize_f32_i8(p, a...); }),
      (Values{10}));
}

TEST(DequantizeF32, ScalesLessTheZeroPoint) {
  const FloatParams p{0.25F, 4};
  EXPECT_EQ(map<float>(Values{4, 5, -128}, [&](const auto&... a) { dequantize_i8_f32(p, a...); }),
            (std::vector<float>{0, 0.25F, -33}));
  EXPECT_EQ(map<float>(std::vector<int16_t>{8, 32767},
                       [&](const auto&... a) { dequantize_i16_f32(p, a...); }),
            (std::vector<float>{1, 8190.75F}));
}

TEST(Softmax, SharesEvenlyAmongEquals) {
  const SoftmaxParams p{{1 << 30, 23}, -248, 4};
  EXPECT_EQ(map(Values{5, 5, 5, 5}, [&](const auto&... a) { softmax_i8_i8(p, a...); }),
            (Values{-64, -64, -64, -64}));
}

// One row of 1/16 real steps against the exponential: within a step of 1/256, and of 1/65536.
TEST(Softmax, SharesBelowHalfAStepAreNothing) {
  constexpr int32_t kChannels = 600;
  const SoftmaxParams p{{1 << 30, 23}, -248, kChannels};
  EXPECT_EQ(map(Values(kChannels, 5), [&](const auto&... a) { softmax_i8_i8(p, a...); }),
            Values(kChannels, -128));
}

TEST(Softmax, FollowsTheExponential) {
  const Values x{0, 16, 32, 40, -128};
  const SoftmaxParams p{{1 << 30, 23}, -(31 << 4), 5};  // beta * scale = 1 / 16
  double sum = 0;
  for (int8_t v : x) sum += std::exp(v / 16.0);
  const auto coarse = map(x, [&](const auto&... a) { softmax_i8_i8(p, a...); });
  const auto fine = map<int16_t>(x, [&](const auto&... a) { softmax_i8_i16(p, a...); });
  for (size_t k = 0; k < x.size(); ++k) {
    const double share = std::exp(x[k] / 16.0) / sum;
    EXPECT_NEAR(coarse[k] + 128, share * 256, 1);
    EXPECT_NEAR(fine[k] + 32768, share * 65536, 2);
  }
}

}  // namespace
}  // namespace thimble::testing
