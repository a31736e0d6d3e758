// SPDX-License-Identifier: Apache-2.0
#include "thimble/reference/fixed_point.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace thimble::reference {
namespace {

/// e^x for -1/4 <= x < 0: the Taylor expansion around -1/8 up to the fourth power.
Fixed<0> exp_between_minus_quarter_and_0(Fixed<0> x) {
  constexpr Fixed<0> kExpOfMinusEighth{1895147668};
  constexpr Fixed<0> kThird{715827883};
  const Fixed<0> y = x + Fixed<0>::power_of_two(-3);
  const Fixed<0> y2 = y * y;
  const Fixed<0> y3 = y2 * y;
  const Fixed<0> y4 = y2 * y2;
  const Fixed<0> y4_over_4{rounding_divide_by_power_of_two(y4.raw, 2)};
  const Fixed<0> twice_tail = (y4_over_4 + y3) * kThird + y2;
  const Fixed<0> tail{rounding_divide_by_power_of_two(twice_tail.raw, 1)};
  return kExpOfMinusEighth + kExpOfMinusEighth * (y + tail);
}

}  // namespace

FixedFactor to_fixed_factor(double real) {
  if (real == 0) return {};
  int shift = 0;
  const double fraction = std::frexp(real, &shift);
  int64_t multiplier = std::llround(fraction * static_cast<double>(int64_t{1} << 31));
  if (multiplier == int64_t{1} << 31) {
    multiplier /= 2;
    ++shift;
  }
  if (shift < -31) return {};
  return {static_cast<int32_t>(multiplier), shift};
}

FixedFactor float_factor(float real) { return {std::bit_cast<int32_t>(real), kFloatShift}; }

int32_t saturating_rounding_doubling_high_mul(int32_t a, int32_t b) {
  if (a == INT32_MIN && b == INT32_MIN) return INT32_MAX;
  const int64_t product = int64_t{a} * int64_t{b};
  const int64_t nudge = product >= 0 ? int64_t{1} << 30 : 1 - (int64_t{1} << 30);
  // The division truncates towards zero; a shift would not.
  return static_cast<int32_t>((product + nudge) / (int64_t{1} << 31));
}

int32_t rounding_divide_by_power_of_two(int32_t x, int exponent) {
  const int64_t mask = (int64_t{1} << exponent) - 1;
  const int64_t remainder = x & mask;
  const int64_t threshold = (mask >> 1) + (x < 0 ? 1 : 0);
  return static_cast<int32_t>((int64_t{x} >> exponent) + (remainder > threshold ? 1 : 0));
}

int32_t saturating_shift_left(int32_t x, int exponent) {
  const int64_t shifted = int64_t{x} * (int64_t{1} << exponent);
  return static_cast<int32_t>(std::clamp<int64_t>(shifted, INT32_MIN, INT32_MAX));
}

int32_t wrapping_shift_left(int32_t x, int exponent) {
  if (exponent >= 32) return 0;
  return static_cast<int32_t>(static_cast<uint32_t>(x) << exponent);
}

int32_t wrapping_add(int32_t a, int32_t b) {
  return static_cast<int32_t>(static_cast<uint32_t>(a) + static_cast<uint32_t>(b));
}

int32_t wrapping_sub(int32_t a, int32_t b) {
  return static_cast<int32_t>(static_cast<uint32_t>(a) - static_cast<uint32_t>(b));
}

int32_t nearest_even(float x) {
  constexpr float kMost = 1 << 22;
  return std::isnan(x) ? 0 : static_cast<int32_t>(std::nearbyint(std::clamp(x, -kMost, kMost)));
}

int32_t multiply(int32_t x, FixedFactor factor) {
  if (factor.shift == kFloatShift) {
    return nearest_even(static_cast<float>(x) * std::bit_cast<float>(factor.multiplier));
  }
  const int32_t shifted = wrapping_shift_left(x, std::max(factor.shift, 0));
  return rounding_divide_by_power_of_two(
      saturating_rounding_doubling_high_mul(shifted, factor.multiplier),
      std::max(-factor.shift, 0));
}

int32_t multiply_once(int64_t x, FixedFactor factor) {
  const int64_t multiplier =
      factor.multiplier < 0x7FFF0000 ? (factor.multiplier + (1 << 15)) >> 16 : 0x7FFF;
  const int right = 15 - factor.shift;
  // Wraps where 64 bits are too few, as the kernels do.
  const uint64_t product = static_cast<uint64_t>(x) * static_cast<uint64_t>(multiplier);
  return static_cast<int32_t>(static_cast<int64_t>(product + (uint64_t{1} << (right - 1))) >>
                              right);
}

template <int kIntegerBits>
Fixed<0> exp_on_negative_values(Fixed<kIntegerBits> x) {
  // x = -remainder + fine with fine in [-1/4, 0): e^fine by the polynomial, e^-remainder as a
  // product over the bits of remainder, each of which has a constant e^-(2^exponent).
  using Input = Fixed<kIntegerBits>;
  constexpr Input kQuarter = Input::power_of_two(-2);
  const Input fine{(x.raw & (kQuarter.raw - 1)) - kQuarter.raw};
  const int32_t remainder = (fine - x).raw;
  Fixed<0> result = exp_between_minus_quarter_and_0(rescale<0>(fine));

  constexpr int kLowestExponent = -2;
  constexpr Fixed<0> kExpOfMinusPowerOfTwo[] = {
      {1672461947}, {1302514674}, {790015084}, {290630308}, {39332535}, {720401}, {242}};
  for (int exponent = kLowestExponent; exponent < kIntegerBits; ++exponent) {
    if ((remainder & Input::power_of_two(exponent).raw) == 0) continue;
    result = result * kExpOfMinusPowerOfTwo[exponent - kLowestExponent];
  }
  return x.raw == 0 ? Fixed<0>::one() : result;
}

template Fixed<0> exp_on_negative_values(Fixed<4> x);
template Fixed<0> exp_on_negative_values(Fixed<5> x);

namespace {

/// 2 / (1 + x) for 0 <= x < 1.
Fixed<2> two_over_one_plus(Fixed<0> x) {
  constexpr Fixed<2> k48Over17{1515870810};
  constexpr Fixed<2> kMinus32Over17{-1010580540};
  // x and one() are not negative, so rounding half up is the original's rounding away from zero.
  const int64_t sum = int64_t{x.raw} + Fixed<0>::one().raw;
  const Fixed<0> half_denominator{static_cast<int32_t>((sum + 1) / 2)};
  Fixed<2> y = k48Over17 + half_denominator * kMinus32Over17;
  for (int step = 0; step < 3; ++step) {
    const Fixed<2> error = Fixed<2>::one() - half_denominator * y;
    y = y + rescale<2>(y * error);
  }
  return y;
}

}  // namespace

Fixed<0> one_over_one_plus(Fixed<0> x) {
  return rescale<0>(Fixed<1>{two_over_one_plus(x).raw});  // half of it
}

Fixed<0> one_minus_over_one_plus(Fixed<0> x) {
  return rescale<0>(two_over_one_plus(x) - Fixed<2>::one());
}

Reciprocal reciprocal_of(int32_t x, int integer_bits) {
  const auto raw = static_cast<uint32_t>(x);
  const int headroom = std::countl_zero(raw);
  // Shifted to [1, 2) with 31 bits after the point; what exceeds 1 is a Fixed<0>.
  const uint32_t fraction = (raw << headroom) - (uint32_t{1} << 31);
  return {one_over_one_plus(Fixed<0>{static_cast<int32_t>(fraction)}), integer_bits - headroom};
}

}  // namespace thimble::reference
