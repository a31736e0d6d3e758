// SPDX-License-Identifier: Apache-2.0
// The short ways of DSP cores to requantise against the reference's arithmetic.
#include "runtime/dsp/depthwise_tail.h"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>

#include "runtime/portable/fixed_point.h"
#include "tests/runtime/tensors.h"
#include "thimble/target/kernels/depthwise/depthwise_dsp.h"

namespace thimble::testing {
namespace {

using namespace runtime;

struct TailCase {
  Scale scale;
  int32_t zero_point = -128;
  ClampRange clamp{-128, 127};
  int64_t largest = 0;
};

// Words of a window of one tap whose weight is 0; the sum is the bias.
std::vector<int32_t> words_of(const TailCase& t, DepthwiseTail tail, int32_t sum) {
  DepthwiseConv2DParams p{};
  p.window = {1, 1, 2, 2, 1, 1, 0, 0, 1, 1};
  p.output_zero_point = t.zero_point;
  p.clamp_min = t.clamp.min;
  p.clamp_max = t.clamp.max;
  const int8_t weight = 0;
  return depthwise_words({.weights = {&weight, 1}, .bias = {&sum, 1}, .scales = {&t.scale, 1}}, p,
                         tail);
}

int8_t finished(const TailCase& t, DepthwiseTail tail, int32_t sum) {
  const std::vector<int32_t> words = words_of(t, tail, sum);
  const int32_t* const constants = words.data() + 3;  // behind the bias and two words of weights
  const DepthwiseClamp clamp{255 - (t.clamp.max - t.clamp.min), t.clamp.max - 255};
  switch (tail) {
    case DepthwiseTail::kRelu:
      return ReluTail::finish(words[0], constants, clamp);
    case DepthwiseTail::kShifted:
      return ShiftedTail::finish(words[0], constants, clamp);
    case DepthwiseTail::kToEven:
      return ToEvenTail::finish(words[0], constants, clamp);
    case DepthwiseTail::kClamped:
      break;
  }
  return ClampedTail::finish(words[0], constants, clamp);
}

int32_t wanted(const TailCase& t, int32_t sum) {
  return limit(requantise(sum, t.scale.multiplier, t.scale.shift) + t.zero_point, t.clamp.min,
               t.clamp.max);
}

std::optional<DepthwiseTail> tail_of(const TailCase& t) {
  return depthwise_tail({.scales = {&t.scale, 1},
                         .largest = {&t.largest, 1},
                         .output_zero_point = t.zero_point,
                         .clamp = t.clamp});
}

// Sums at random, at the ends, and around those that end in a tie.
std::vector<int32_t> sums_for(const TailCase& t, Random& random) {
  const auto most = static_cast<int32_t>(t.largest);
  std::vector<int32_t> sums = {0, 1, -1, most, -most, most - 1, 1 - most};
  for (int k = 0; k < 50; ++k) {
    sums.push_back(random.between(-most, most));
    const double tie = (random.between(-300, 300) + 0.5) * std::ldexp(1.0, 31 - t.scale.shift) /
                       t.scale.multiplier;
    for (const int32_t off : {-1, 0, 1}) {
      const double near = std::floor(tie) + off;
      if (std::abs(near) <= most) sums.push_back(static_cast<int32_t>(near));
    }
  }
  return sums;
}

TEST(DepthwiseTail, ComputesTheReference) {
  Random random(17);
  int64_t counted[3] = {};
  for (int k = 0; k < 3000; ++k) {
    TailCase t{.scale = {}};
    const int32_t multipliers[] = {1 << 30, 0x7FFFFFFF, random.between(1 << 30, 0x7FFFFFFF)};
    t.scale = {multipliers[random.between(0, 2)], -random.between(1, 23)};
    if (random.between(0, 1) == 1) {
      t.zero_point = random.between(-128, 127);
      t.clamp.min = random.between(-128, 127);
      t.clamp.max = random.between(t.clamp.min, 127);
    }
    t.largest = random.between(0, 1) == 1 ? 400000 : (INT32_MAX >> random.between(1, 8));
    const std::optional<DepthwiseTail> least = tail_of(t);
    if (!least) continue;
    for (const DepthwiseTail tail :
         {DepthwiseTail::kRelu, DepthwiseTail::kShifted, DepthwiseTail::kClamped}) {
      if (tail < *least) continue;
      for (const int32_t sum : sums_for(t, random)) {
        ++counted[static_cast<int>(tail)];
        ASSERT_EQ(int32_t{finished(t, tail, sum)}, wanted(t, sum))
            << "sum " << sum << ", tail " << static_cast<int>(tail) << ", " << t.scale.multiplier
            << " * 2^" << t.scale.shift << ", zero point " << t.zero_point << ", clamps "
            << t.clamp.min << ".." << t.clamp.max;
      }
    }
  }
  for (const int64_t count : counted) EXPECT_GT(count, 10000);
}

TEST(DepthwiseTail, ComputesTheReferenceOfFloatScales) {
  Random random(18);
  for (int k = 0; k < 1000; ++k) {
    TailCase t{.scale = float_scale(std::ldexp(static_cast<float>(random.between(1, 0xFFFFFF)),
                                               -random.between(24, 40)))};
    t.zero_point = random.between(-128, 127);
    t.clamp.min = random.between(-128, 127);
    t.clamp.max = random.between(t.clamp.min, 127);
    t.largest = 400000;
    ASSERT_EQ(tail_of(t), DepthwiseTail::kToEven);
    for (int i = 0; i < 50; ++i) {
      const int32_t sum = random.between(-400000, 400000);
      ASSERT_EQ(int32_t{finished(t, DepthwiseTail::kToEven, sum)}, wanted(t, sum)) << sum;
    }
  }
}

TEST(DepthwiseTail, IsNoneWhereAShiftOrASumIsTooLarge) {
  TailCase t{.scale = {1 << 30, -8}, .largest = 100000};
  EXPECT_EQ(tail_of(t), DepthwiseTail::kRelu);
  t.largest = INT32_MAX >> 3;  // times 2^4 it does not fit
  EXPECT_EQ(tail_of(t), DepthwiseTail::kShifted);
  t.largest = INT32_MAX;
  EXPECT_EQ(tail_of(t), std::nullopt);
  t = {.scale = {1 << 30, 0}, .largest = 100000};
  EXPECT_EQ(tail_of(t), std::nullopt);
  t = {.scale = {1 << 30, -24}, .largest = 100000};
  EXPECT_EQ(tail_of(t), std::nullopt);
  t = {.scale = {1 << 30, -3}, .largest = 100000};
  EXPECT_EQ(tail_of(t), DepthwiseTail::kShifted);
  t.zero_point = 3;
  EXPECT_EQ(tail_of(t), DepthwiseTail::kClamped);
}

}  // namespace
}  // namespace thimble::testing
