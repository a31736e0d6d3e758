// SPDX-License-Identifier: Apache-2.0
#include "runtime/portable/fixed_point.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "tests/runtime/tensors.h"

namespace thimble::runtime {
namespace {

constexpr int32_t kMost = std::numeric_limits<int32_t>::max();
constexpr int32_t kLeast = std::numeric_limits<int32_t>::min();

TEST(DoublingHighMultiply, RoundsToNearest) {
  EXPECT_EQ(doubling_high_multiply(3, 1 << 30), 2);    // 1.5
  EXPECT_EQ(doubling_high_multiply(-3, 1 << 30), -1);  // -1.5: towards +infinity
  EXPECT_EQ(doubling_high_multiply(kMost, kMost), kMost - 1);
  EXPECT_EQ(doubling_high_multiply(kLeast, kMost), -kMost);
}

// gemmlowp's definition: a nudge by half towards the sign, then division that truncates.
TEST(DoublingHighMultiply, IsGemmlowps) {
  thimble::testing::Random random(1);
  for (int k = 0; k < 20000; ++k) {
    const int32_t a = random.between(-1000000, 1000000) * (k % 2000);
    const int32_t b = random.between(1 << 30, kMost);
    const int64_t product = int64_t{a} * b;
    const int64_t nudge = product >= 0 ? 1 << 30 : 1 - (1 << 30);
    EXPECT_EQ(doubling_high_multiply(a, b), (product + nudge) / (int64_t{1} << 31));
  }
}

TEST(RoundingShiftRight, RoundsHalfAwayFromZero) {
  EXPECT_EQ(rounding_shift_right(5, 1), 3);
  EXPECT_EQ(rounding_shift_right(-5, 1), -3);
  EXPECT_EQ(rounding_shift_right(6, 2), 2);
  EXPECT_EQ(rounding_shift_right(-6, 2), -2);
  EXPECT_EQ(rounding_shift_right(5, 2), 1);
  EXPECT_EQ(rounding_shift_right(-5, 2), -1);
  EXPECT_EQ(rounding_shift_right(kMost, 31), 1);
  EXPECT_EQ(rounding_shift_right(kLeast + 1, 31), -1);
  EXPECT_EQ(rounding_shift_right(kMost - 1, 1), (1 << 30) - 1);
}

// gemmlowp's definition, on the remainder.
TEST(RoundingShiftRight, IsGemmlowps) {
  thimble::testing::Random random(2);
  for (int k = 0; k < 20000; ++k) {
    const int32_t x = random.between(-1000, 1000) * (1 << random.between(0, 20));
    const int32_t exponent = random.between(1, 31);
    const int32_t mask = static_cast<int32_t>((int64_t{1} << exponent) - 1);
    const int32_t threshold = (mask >> 1) + (x < 0 ? 1 : 0);
    EXPECT_EQ(rounding_shift_right(x, exponent),
              (x >> exponent) + ((x & mask) > threshold ? 1 : 0));
  }
}

TEST(Requantise, RoundsTwice) {
  // 0.75 * 2^-1 of 5: 3.75 -> 4 -> 2, where one rounding of 1.875 agrees; of 3: 2.25 -> 2 -> 1.
  const int32_t three_quarters = 3 << 29;
  EXPECT_EQ(requantise(5, three_quarters, -1), 2);
  EXPECT_EQ(requantise(3, three_quarters, -1), 1);
  // 2.5 - an eighth: first to 3, then from 1.5 to 2, where 1.4375 would give 1.
  EXPECT_EQ(requantise(23, 1 << 30, -3), 2);
}

TEST(Requantise, ShiftsLeftBeforeItMultiplies) {
  EXPECT_EQ(requantise(3, 1 << 30, 1), 3);
  EXPECT_EQ(requantise(-7, 1 << 30, 4), -56);
  EXPECT_EQ(requantise(3, 1 << 30, 0), 2);
}

TEST(TimesFloat, RoundsTiesToEven) {
  const auto times = [](int32_t x, float scale) {
    const auto bits = std::bit_cast<int32_t>(scale);
    EXPECT_EQ(times_float_in_integers(x, bits), times_float(x, bits)) << x << " * " << scale;
    return times_float(x, bits);
  };
  EXPECT_EQ(times(1, 0.5F), 0);
  EXPECT_EQ(times(3, 0.5F), 2);
  EXPECT_EQ(times(-3, 0.5F), -2);
  EXPECT_EQ(times(5, 0.5F), 2);
  EXPECT_EQ(times(0, 3.0F), 0);
  EXPECT_EQ(times(2147483647, 1.0F), 1 << 22);
  EXPECT_EQ(times(-2147483647 - 1, 4.0F), -(1 << 22));
  // 16,777,217 is no float32: it is 16,777,216 first, and a quarter of that less than a tie.
  EXPECT_EQ(times(16777217, 0x1.000001p-24F), 1);
  EXPECT_EQ(times(1000, 0x1p-60F), 0);
}

TEST(TimesFloat, IsTheSameInIntegersAsInFloats) {
  testing::Random random(7);
  for (int k = 0; k < 200000; ++k) {
    const int32_t x = random.between(-0x7FFFFFFF, 0x7FFFFFFF) >> random.between(0, 31);
    const float scale =
        std::ldexp(static_cast<float>(random.between(1, 0xFFFFFF)), -random.between(0, 60));
    const auto bits = std::bit_cast<int32_t>(scale);
    ASSERT_EQ(times_float_in_integers(x, bits), times_float(x, bits)) << x << " * " << scale;
    // What is near a tie.
    const double tie = (random.between(-300, 300) + 0.5) / static_cast<double>(scale);
    if (std::abs(tie) > 2e9) continue;
    for (const double off : {-1.0, 0.0, 1.0}) {
      const auto near = static_cast<int32_t>(std::floor(tie) + off);
      ASSERT_EQ(times_float_in_integers(near, bits), times_float(near, bits)) << near;
    }
  }
}

TEST(Limit, KeepsWithinBothBounds) {
  EXPECT_EQ(limit(-200, -128, 127), -128);
  EXPECT_EQ(limit(200, -128, 127), 127);
  EXPECT_EQ(limit(5, -128, 127), 5);
}

}  // namespace
}  // namespace thimble::runtime
