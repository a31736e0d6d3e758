// SPDX-License-Identifier: Apache-2.0
// The fixed-point arithmetic of gemmlowp, with double rounding, that decides the last bit of an
// int8 network. Additions and left shifts wrap around at 32 bits, as they do on the processors that
// run the original.
#pragma once

#include <cstdint>

namespace thimble::reference {

/// The shift of a FixedFactor that is a float32, whose bits are its multiplier.
constexpr int kFloatShift = -128;

/// A real factor: multiplier * 2^(shift - 31), multiplier in [2^30, 2^31), or 0; or a float32.
struct FixedFactor {
  int32_t multiplier = 0;
  int shift = 0;  ///< positive: to the left; or kFloatShift
  bool operator==(const FixedFactor&) const = default;
};

/// The nearest factor; 0 below 2^-32.
[[nodiscard]] FixedFactor to_fixed_factor(double real);

/// A positive float32 as it is.
[[nodiscard]] FixedFactor float_factor(float real);

/// (a * b) / 2^31 rounded to nearest, ties up; only (-2^31)^2 saturates.
[[nodiscard]] int32_t saturating_rounding_doubling_high_mul(int32_t a, int32_t b);
/// x / 2^exponent rounded to nearest, ties away from zero. 0 <= exponent <= 62.
[[nodiscard]] int32_t rounding_divide_by_power_of_two(int32_t x, int exponent);
/// x * 2^exponent, clamped to int32. 0 <= exponent <= 31.
[[nodiscard]] int32_t saturating_shift_left(int32_t x, int exponent);
/// x * 2^exponent modulo 2^32.
[[nodiscard]] int32_t wrapping_shift_left(int32_t x, int exponent);
[[nodiscard]] int32_t wrapping_add(int32_t a, int32_t b);
[[nodiscard]] int32_t wrapping_sub(int32_t a, int32_t b);

/// Shift left, high multiply, rounding shift right: what "requantise" means everywhere in int8. By
/// a float32: rounded to float32, then to a whole number, ties to even, within +-2^22.
[[nodiscard]] int32_t multiply(int32_t x, FixedFactor factor);

/// The nearest whole number, ties to even, within +-2^22; 0 of NaN.
[[nodiscard]] int32_t nearest_even(float x);

/// A sum of 64 bits times the factor, its multiplier rounded to 16 bits, rounded once, half up:
/// what sums of int16 networks get. factor.shift below 15.
[[nodiscard]] int32_t multiply_once(int64_t x, FixedFactor factor);

/// A signed number with kIntegerBits bits before the point and 31 - kIntegerBits after it.
template <int kIntegerBits>
struct Fixed {
  static constexpr int kFractionBits = 31 - kIntegerBits;
  int32_t raw = 0;

  static constexpr Fixed one() {
    return {kIntegerBits == 0 ? INT32_MAX : static_cast<int32_t>(int64_t{1} << kFractionBits)};
  }
  /// 2^exponent, for negative exponents.
  static constexpr Fixed power_of_two(int exponent) {
    return {static_cast<int32_t>(int64_t{1} << (kFractionBits + exponent))};
  }
  bool operator==(const Fixed&) const = default;
};

template <int kA>
[[nodiscard]] Fixed<kA> operator+(Fixed<kA> a, Fixed<kA> b) {
  return {wrapping_add(a.raw, b.raw)};
}

template <int kA>
[[nodiscard]] Fixed<kA> operator-(Fixed<kA> a, Fixed<kA> b) {
  return {wrapping_add(a.raw, static_cast<int32_t>(0u - static_cast<uint32_t>(b.raw)))};
}

template <int kA, int kB>
[[nodiscard]] Fixed<kA + kB> operator*(Fixed<kA> a, Fixed<kB> b) {
  return {saturating_rounding_doubling_high_mul(a.raw, b.raw)};
}

/// x with another position of the point; saturates or rounds.
template <int kTo, int kFrom>
[[nodiscard]] Fixed<kTo> rescale(Fixed<kFrom> x) {
  if constexpr (kFrom >= kTo) {
    return {saturating_shift_left(x.raw, kFrom - kTo)};
  } else {
    return {rounding_divide_by_power_of_two(x.raw, kTo - kFrom)};
  }
}

/// e^x for -2^kIntegerBits <= x <= 0; 4 or 5 bits.
template <int kIntegerBits>
[[nodiscard]] Fixed<0> exp_on_negative_values(Fixed<kIntegerBits> x);
/// 1 / x = reciprocal * 2^-exponent, reciprocal in (1/2, 1]; x > 0, with so many bits before the
/// point.
struct Reciprocal {
  Fixed<0> reciprocal;
  int exponent = 0;
};
[[nodiscard]] Reciprocal reciprocal_of(int32_t x, int integer_bits);

/// (1 - x) / (1 + x) for 0 <= x < 1.
[[nodiscard]] Fixed<0> one_minus_over_one_plus(Fixed<0> x);
/// 1 / (1 + x) for 0 <= x < 1, three steps of Newton and Raphson.
[[nodiscard]] Fixed<0> one_over_one_plus(Fixed<0> x);

}  // namespace thimble::reference
