// SPDX-License-Identifier: Apache-2.0
#include "thimble/reference/fixed_point.h"

#include <gtest/gtest.h>

#include <cmath>

namespace thimble::reference {
namespace {

constexpr int32_t kHalf = int32_t{1} << 30;

TEST(FixedFactor, HalfIsExact) { EXPECT_EQ(to_fixed_factor(0.5), (FixedFactor{kHalf, 0})); }
TEST(FixedFactor, OneShiftsLeft) { EXPECT_EQ(to_fixed_factor(1.0), (FixedFactor{kHalf, 1})); }
TEST(FixedFactor, ZeroIsZero) { EXPECT_EQ(to_fixed_factor(0), (FixedFactor{0, 0})); }

TEST(FixedFactor, RoundsUpToTheNextPowerOfTwo) {
  EXPECT_EQ(to_fixed_factor(1.0 - 0x1p-40), (FixedFactor{kHalf, 1}));
}

TEST(FixedFactor, TinyIsZero) {
  EXPECT_EQ(to_fixed_factor(0x1p-32), (FixedFactor{kHalf, -31}));
  EXPECT_EQ(to_fixed_factor(0x1p-33), (FixedFactor{0, 0}));
}

TEST(RoundingDivide, TiesGoAwayFromZero) {
  EXPECT_EQ(rounding_divide_by_power_of_two(5, 1), 3);
  EXPECT_EQ(rounding_divide_by_power_of_two(-5, 1), -3);
  EXPECT_EQ(rounding_divide_by_power_of_two(-6, 2), -2);
  EXPECT_EQ(rounding_divide_by_power_of_two(-5, 2), -1);
  EXPECT_EQ(rounding_divide_by_power_of_two(INT32_MIN, 31), -1);
  EXPECT_EQ(rounding_divide_by_power_of_two(7, 0), 7);
  EXPECT_EQ(rounding_divide_by_power_of_two(INT32_MAX, 32), 0);
}

TEST(HighMultiply, SaturatesOnlyTheSquareOfTheLowest) {
  EXPECT_EQ(saturating_rounding_doubling_high_mul(INT32_MIN, INT32_MIN), INT32_MAX);
  EXPECT_EQ(saturating_rounding_doubling_high_mul(INT32_MIN, INT32_MAX), -INT32_MAX);
}

TEST(HighMultiply, TiesGoUp) {
  EXPECT_EQ(saturating_rounding_doubling_high_mul(3, kHalf), 2);
  EXPECT_EQ(saturating_rounding_doubling_high_mul(-3, kHalf), -1);
}

// 1 * 1/4: the high multiply rounds 0.5 up to 1, the shift rounds 0.5 up to 1; one rounding gives
// 0.
TEST(Multiply, RoundsTwice) {
  const FixedFactor quarter{kHalf, -1};
  EXPECT_EQ(multiply(3, quarter), 1);
  EXPECT_EQ(multiply(1, quarter), 1);
  EXPECT_EQ(multiply(-1, quarter), 0);
  EXPECT_EQ(multiply(-6, quarter), -2);
}

TEST(Multiply, ShiftsLeftFirst) { EXPECT_EQ(multiply(-7, FixedFactor{kHalf, 4}), -56); }

TEST(ShiftLeft, SaturatesOrWraps) {
  EXPECT_EQ(saturating_shift_left(1 << 30, 1), INT32_MAX);
  EXPECT_EQ(saturating_shift_left(-(1 << 30) - 1, 1), INT32_MIN);
  EXPECT_EQ(wrapping_shift_left(1 << 30, 1), INT32_MIN);
  EXPECT_EQ(wrapping_shift_left(1, 32), 0);
}

TEST(Exponential, OfZeroIsOne) { EXPECT_EQ(exp_on_negative_values(Fixed<5>{0}).raw, INT32_MAX); }

TEST(Exponential, FollowsTheRealFunction) {
  for (double x = -31.9; x < 0; x += 0.0371) {
    const Fixed<5> fixed{static_cast<int32_t>(std::lround(std::ldexp(x, 26)))};
    const double actual = std::ldexp(static_cast<double>(exp_on_negative_values(fixed).raw), -31);
    EXPECT_NEAR(actual, std::exp(x), 2e-7) << x;
  }
}

TEST(Exponential, FollowsTheRealFunctionWithOneBitLessBeforeThePoint) {
  for (double x = -15.9; x < 0; x += 0.0371) {
    const Fixed<4> fixed{static_cast<int32_t>(std::lround(std::ldexp(x, 27)))};
    const double actual = std::ldexp(static_cast<double>(exp_on_negative_values(fixed).raw), -31);
    EXPECT_NEAR(actual, std::exp(x), 2e-7) << x;
  }
}

TEST(Reciprocal, FollowsTheRealFunction) {
  for (double x = 0; x < 1; x += 0.0137) {
    const Fixed<0> fixed{static_cast<int32_t>(std::lround(std::ldexp(x, 31)))};
    const double actual = std::ldexp(static_cast<double>(one_over_one_plus(fixed).raw), -31);
    EXPECT_NEAR(actual, 1 / (1 + x), 2e-8) << x;
  }
}

}  // namespace
}  // namespace thimble::reference
