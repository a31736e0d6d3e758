// SPDX-License-Identifier: Apache-2.0
// Functions of float32 against those of the C library in double.
#include "thimble_runtime/real_functions.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <ostream>
#include <random>

namespace thimble::testing {
namespace {

namespace real = runtime::real;

struct RealFunction {
  const char* name;
  float (*ours)(float) noexcept;
  double (*exact)(double);
  double most_ulps;
  friend void PrintTo(const RealFunction& f, std::ostream* os) { *os << f.name; }
};

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

double exact_logistic(double x) {
  if (x > 16.619047164916992188) return 1;  // TensorFlow Lite's limits
  return x < -9 ? std::exp(x) : 1 / (1 + std::exp(-x));
}

const RealFunction kFunctions[] = {
    {"floor", real::floor, std::floor, 0},
    {"ceil", real::ceil, std::ceil, 0},
    {"round", real::round, std::nearbyint, 0},
    {"sqrt", real::sqrt, [](double x) { return x < 0 ? kNone : std::sqrt(x); }, 0.5},
    {"exp", real::exp, std::exp, 1.5},
    {"erf", real::erf, std::erf, 3},
    {"atan", real::atan, std::atan, 3},
    {"log", real::log, [](double x) { return x < 0 ? kNone : std::log(x); }, 1.5},
    {"tanh", real::tanh, std::tanh, 2},
    {"elu", real::elu, [](double x) { return x < 0 ? std::expm1(x) : x; }, 3},
    {"logistic", real::logistic, exact_logistic, 3},
    {"sin", real::sin, std::sin, 3},
    {"cos", real::cos, std::cos, 3},
};

class RealFunctions : public ::testing::TestWithParam<RealFunction> {};

// The distance in ulps of the exact value, rounded to float32.
double distance_in_ulps(float got, double exact) {
  const auto nearest = static_cast<float>(exact);
  if (std::isnan(nearest)) return std::isnan(got) ? 0 : HUGE_VAL;
  if (std::isinf(nearest)) return got == nearest ? 0 : HUGE_VAL;
  const float size = std::abs(nearest);
  const double ulp =
      double{std::nextafter(size, std::numeric_limits<float>::infinity())} - double{size};
  return std::abs(double{got} - exact) / ulp;
}

TEST_P(RealFunctions, AreExactToSomeUlps) {
  const RealFunction& f = GetParam();
  std::mt19937 random(1);
  for (int round = 0; round < 300'000; ++round) {
    float x = real::from_bits(static_cast<uint32_t>(random()));  // any number at all
    if (round % 2 == 0) x = (static_cast<float>(random() >> 8) / 0x1p23F - 1) * 30;
    if (std::isnan(x)) continue;
    ASSERT_LE(distance_in_ulps(f.ours(x), f.exact(double{x})), f.most_ulps)
        << f.name << "(" << x << ") is not " << f.ours(x);
  }
}

TEST_P(RealFunctions, KeepNotANumber) {
  EXPECT_TRUE(std::isnan(GetParam().ours(std::numeric_limits<float>::quiet_NaN())));
}

INSTANTIATE_TEST_SUITE_P(All, RealFunctions, ::testing::ValuesIn(kFunctions),
                         [](const auto& tested) { return std::string(tested.param.name); });

// Within some units of the last place of x, or of the least number that counts: far below 0 the
// result is next to nothing.
TEST(Gelu, IsNearTheExactValues) {
  for (int step = -200'000; step <= 200'000; ++step) {
    const float x = static_cast<float>(step) * 1e-4F;
    const double exact = 0.5 * double{x} * std::erfc(-double{x} * std::sqrt(0.5));
    ASSERT_NEAR(real::gelu(x), exact, 3e-7 * std::abs(double{x})) << x;
    const double inner = std::sqrt(2 / std::acos(-1.0)) * (x + 0.044715 * std::pow(double{x}, 3));
    ASSERT_NEAR(real::gelu_by_tanh(x), 0.5 * x * (1 + std::tanh(inner)), 4e-7 * std::abs(double{x}))
        << x;
  }
  for (const auto gelu : {real::gelu, real::gelu_by_tanh}) {
    EXPECT_TRUE(std::isnan(gelu(std::numeric_limits<float>::quiet_NaN())));
    EXPECT_EQ(gelu(1e30F), 1e30F);
    EXPECT_EQ(gelu(-1e30F), 0);
  }
}

// To the sign of a zero.
bool equal(float a, float b) {
  return (a == b && std::signbit(a) == std::signbit(b)) || (std::isnan(a) && std::isnan(b));
}

TEST(FloorAndCeil, KeepTheSignsOfZeros) {
  for (const float x : {0.0F, -0.0F, 0.3F, -0.3F, 1.0F, -1.0F, 1.5F, -1.5F}) {
    EXPECT_TRUE(equal(real::floor(x), std::floor(x))) << x;
    EXPECT_TRUE(equal(real::ceil(x), std::ceil(x))) << x;
  }
}

TEST(Power, IsTheCLibrarys) {
  const auto expect_near = [](float x, float y) {
    const double exact = std::pow(double{x}, double{y});
    const float got = real::pow(x, y);
    ASSERT_LE(distance_in_ulps(got, exact), 0.6)
        << x << " to the power of " << y << " is " << exact;
    if (exact == 0) {
      ASSERT_EQ(std::signbit(got), std::signbit(exact)) << x << " " << y;
    }
  };
  constexpr float kInfinite = std::numeric_limits<float>::infinity();
  const float kSpecial[] = {0.0F,       -0.0F,      1.0F,   -1.0F,       0.5F,         -0.5F,
                            2.0F,       -2.0F,      3.0F,   -3.0F,       1.5F,         0x1p-149F,
                            -0x1p-149F, 3e38F,      -3e38F, 16777215.0F, -16777215.0F, 16777216.0F,
                            kInfinite,  -kInfinite, NAN};
  for (const float x : kSpecial)
    for (const float y : kSpecial) expect_near(x, y);
  std::mt19937 random(1);
  for (int round = 0; round < 300'000; ++round) {
    const auto bits = static_cast<uint32_t>(random());
    expect_near(real::from_bits(bits),
                static_cast<float>(static_cast<int32_t>(random())) * 0x1p-28F);
    expect_near(real::from_bits(bits),
                static_cast<float>(static_cast<int32_t>(random() % 41) - 20));
    expect_near(1 + static_cast<float>(static_cast<int32_t>(bits)) * 0x1p-32F,
                static_cast<float>(static_cast<int32_t>(random())) * 0x1p-24F);
    expect_near(real::from_bits(bits), real::from_bits(static_cast<uint32_t>(random())));
  }
}

// Bit patterns of all kinds, whose quotients are mostly huge or tiny, and pairs of like exponents.
TEST(FloorDivision, EqualsTheCLibrarys) {
  const auto expect_both = [](float x, float y) {
    const float rest = std::fmod(x, y);
    const float left = rest != 0 && (y < 0) != (rest < 0) ? rest + y : rest;
    const auto quotient = static_cast<float>(std::floor(double{x} / double{y}));
    ASSERT_TRUE(equal(real::floor_mod(x, y), left)) << x << " " << y;
    ASSERT_TRUE(equal(real::floor_div(x, y), quotient)) << x << " " << y;
  };
  constexpr float kInfinite = std::numeric_limits<float>::infinity();
  for (const float x : {0.0F, -0.0F, 1.0F, -7.0F, 0x1p-149F, 3e38F, kInfinite, -kInfinite, NAN}) {
    for (const float y :
         {0.0F, -0.0F, 1.0F, -0.3F, 3e-45F, 16777217.0F, kInfinite, -kInfinite, NAN})
      expect_both(x, y);
  }
  std::mt19937 random(1);
  for (int round = 0; round < 100000; ++round) {
    const auto bits = static_cast<uint32_t>(random());
    const auto other = static_cast<uint32_t>(random());
    expect_both(real::from_bits(bits), real::from_bits(other));
    expect_both(real::from_bits(bits), real::from_bits(bits ^ (other & 0x83FFFFFFU)));
  }
}

}  // namespace
}  // namespace thimble::testing
