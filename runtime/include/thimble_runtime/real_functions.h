// SPDX-License-Identifier: Apache-2.0
// Functions of a float32, to about an ulp, in operations that IEEE 754 rounds one way: the same
// bits on every machine, as long as none is contracted into a fused multiply-add
// (-ffp-contract=off). The polynomials of exp, log, tanh, sin, cos, atan and erf are those of
// Cephes (S. Moshier).
#pragma once

#include <stdint.h>

namespace thimble::runtime {
namespace real {

inline uint32_t bits_of(float x) noexcept {
  uint32_t bits;
  __builtin_memcpy(&bits, &x, sizeof bits);
  return bits;
}

inline float from_bits(uint32_t bits) noexcept {
  float x;
  __builtin_memcpy(&x, &bits, sizeof x);
  return x;
}

constexpr float kInfinity = __builtin_inff();
constexpr float kNotANumber = __builtin_nanf("");

/// low where x is below, high where it is above; not a number stays what it is.
inline float limited(float x, float low, float high) noexcept {
  const float raised = x < low ? low : x;
  return raised > high ? high : raised;
}

inline float abs(float x) noexcept { return from_bits(bits_of(x) & 0x7FFFFFFFU); }
inline float neg(float x) noexcept { return from_bits(bits_of(x) ^ 0x80000000U); }
inline float square(float x) noexcept { return x * x; }

/// Whether it may have a fraction: from 2^23 on no float32 has one.
inline bool may_be_fractional(float x) noexcept { return abs(x) < 0x1p23F; }

inline float floor(float x) noexcept {
  if (!may_be_fractional(x) || x == 0) return x;  // a zero keeps its sign
  const auto whole = static_cast<float>(static_cast<int32_t>(x));
  return whole > x ? whole - 1 : whole;
}

inline float ceil(float x) noexcept { return neg(floor(neg(x))); }

/// Halves to even.
inline float round(float x) noexcept {
  if (!may_be_fractional(x)) return x;
  const float below = floor(x), rest = x - below;
  const bool odd = (static_cast<int32_t>(below) & 1) != 0;
  return rest > 0.5F || (rest == 0.5F && odd) ? below + 1 : below;
}

/// The quotient is rounded to a double first.
inline float floor_div(float x, float y) noexcept {
  const double quotient = static_cast<double>(x) / static_cast<double>(y);
  if (!(quotient > -0x1p52 && quotient < 0x1p52) || quotient == 0)
    return static_cast<float>(quotient);
  const auto whole = static_cast<double>(static_cast<int64_t>(quotient));
  return static_cast<float>(whole > quotient ? whole - 1 : whole);
}

/// What is left of x, exactly, then with the sign of y; a zero has that of x.
inline float floor_mod(float x, float y) noexcept {
  const float size = abs(y);
  float rest = abs(x);
  if (!(size > 0) || !(rest < kInfinity)) return kNotANumber;
  if (size < kInfinity) {
    float multiple = size;
    while (multiple <= rest - multiple) multiple += multiple;
    for (; multiple >= size; multiple *= 0.5F) {
      if (multiple <= rest) rest -= multiple;
    }
  }
  const float left = from_bits(bits_of(rest) | (bits_of(x) & 0x80000000U));
  return left != 0 && (y < 0) != (left < 0) ? left + y : left;
}

/// Correctly rounded: bit by bit.
inline float sqrt(float x) noexcept {
  if (!(x > 0)) return x == 0 ? x : kNotANumber;
  if (x == kInfinity) return x;
  if (x < 0x1p-126F) return sqrt(x * 0x1p24F) * 0x1p-12F;
  const uint32_t bits = bits_of(x);
  int32_t exponent = static_cast<int32_t>(bits >> 23) - 127;
  uint32_t rest = (bits & 0x7FFFFFU) | 0x800000U;
  if ((exponent & 1) != 0) {
    rest += rest;
    --exponent;
  }
  rest += rest;
  uint32_t root = 0, sum = 0;
  for (uint32_t digit = 0x1000000U; digit != 0; digit >>= 1) {
    const uint32_t tried = sum + digit;
    if (tried <= rest) {
      sum = tried + digit;
      rest -= tried;
      root += digit;
    }
    rest += rest;
  }
  if (rest != 0) root += root & 1U;
  const uint32_t scale = static_cast<uint32_t>(exponent / 2 + 126) << 23;
  return from_bits((root >> 1) + scale);
}

inline float rsqrt(float x) noexcept { return 1 / sqrt(x); }

/// 2^n for -126 <= n <= 127.
inline float two_to(int32_t n) noexcept { return from_bits(static_cast<uint32_t>(n + 127) << 23); }

/// e^x - 1 for |x| <= ln(2) / 2.
inline float small_expm1(float x) noexcept {
  float p = 1.9875691500E-4F;
  p = p * x + 1.3981999507E-3F;
  p = p * x + 8.3334519073E-3F;
  p = p * x + 4.1665795894E-2F;
  p = p * x + 1.6666665459E-1F;
  p = p * x + 5.0000001201E-1F;
  return p * (x * x) + x;
}

/// 2^n e^r, |r| <= ln(2) / 2.
inline float exp(float x) noexcept {
  if (x > 89) return kInfinity;
  if (!(x >= -104)) return x < -104 ? 0 : x;
  const float n = floor(x * 1.44269504F + 0.5F);
  const float r = (x - n * 0.693359375F) + n * 2.12194440e-4F;
  const auto power = static_cast<int32_t>(n);
  const int32_t half = power / 2;  // all of it may be out of range
  return (small_expm1(r) + 1) * two_to(half) * two_to(power - half);
}

inline float elu(float x) noexcept {
  if (x >= 0) return x;
  return x > -0.34F ? small_expm1(x) : exp(x) - 1;
}

/// fraction * 2^power, the fraction within the roots of 1/2 and 2.
struct Scaled {
  float fraction;
  int32_t power;
};

/// A number above 0 and below infinity.
inline Scaled scaled(float x) noexcept {
  int32_t power = -126;
  if (x < 0x1p-126F) {
    x *= 0x1p25F;
    power -= 25;
  }
  const uint32_t bits = bits_of(x);
  power += static_cast<int32_t>(bits >> 23);
  const float m = from_bits((bits & 0x7FFFFFU) | 0x3F000000U);  // in [1/2, 1)
  if (m < 0.707106781F) return {m + m, power - 1};
  return {m, power};
}

inline float log(float x) noexcept {
  if (!(x > 0)) return x == 0 ? -kInfinity : kNotANumber;
  if (x == kInfinity) return x;
  const Scaled parts = scaled(x);
  const float m = parts.fraction - 1, n = static_cast<float>(parts.power);
  const float square_of_m = m * m;
  float p = 7.0376836292E-2F;
  p = p * m - 1.1514610310E-1F;
  p = p * m + 1.1676998740E-1F;
  p = p * m - 1.2420140846E-1F;
  p = p * m + 1.4249322787E-1F;
  p = p * m - 1.6668057665E-1F;
  p = p * m + 2.0000714765E-1F;
  p = p * m - 2.4999993993E-1F;
  p = p * m + 3.3333331174E-1F;
  p = p * m * square_of_m - n * 2.12194440e-4F;
  return m + (p - 0.5F * square_of_m) + n * 0.693359375F;
}

/// log2(x) of x above 0, to 1e-10: the series of atanh.
inline double log2(float x) noexcept {
  if (x == kInfinity) return static_cast<double>(x);
  const Scaled parts = scaled(x);
  const auto m = static_cast<double>(parts.fraction);
  const double s = (m - 1) / (m + 1), z = s * s;
  double p = 1.0 / 11;
  p = p * z + 1.0 / 9;
  p = p * z + 1.0 / 7;
  p = p * z + 1.0 / 5;
  p = p * z + 1.0 / 3;
  p = p * z + 1.0;
  return p * s * 2.8853900817779268 + static_cast<double>(parts.power);  // 2 / ln(2)
}

/// 2^x, x neither below -200 nor above 200, to 1e-9: the series of exp. It is rounded once, also
/// where it is subnormal.
inline float exp2(double x) noexcept {
  const auto power = static_cast<int32_t>(x < 0 ? x - 0.5 : x + 0.5);
  const double r = (x - static_cast<double>(power)) * 0.6931471805599453;
  double p = 1.0 / 40320;
  p = p * r + 1.0 / 5040;
  p = p * r + 1.0 / 720;
  p = p * r + 1.0 / 120;
  p = p * r + 1.0 / 24;
  p = p * r + 1.0 / 6;
  p = p * r + 0.5;
  p = p * r + 1.0;
  p = p * r + 1.0;
  const uint64_t bits = static_cast<uint64_t>(power + 1023) << 52;
  double scale;
  __builtin_memcpy(&scale, &bits, sizeof scale);
  return static_cast<float>(p * scale);
}

inline bool is_whole(float x) noexcept { return abs(x) <= kInfinity && floor(x) == x; }
inline bool is_odd(float x) noexcept {
  return abs(x) < 0x1p24F && is_whole(x) && (static_cast<int32_t>(x) & 1) != 0;
}

/// As C has it: of numbers below 0 with whole exponents.
inline float pow(float x, float y) noexcept {
  if (x == 1 || y == 0) return 1;
  const float size = abs(x);
  if (!(size <= kInfinity) || !(abs(y) <= kInfinity)) return kNotANumber;
  if (x < 0 && x > -kInfinity && !is_whole(y)) return kNotANumber;
  float value = 1;
  if (size == 0) {
    value = y < 0 ? kInfinity : 0;
  } else if (size != 1) {
    const double exponent = log2(size) * static_cast<double>(y);
    value = exponent > 200 ? kInfinity : exponent < -200 ? 0 : exp2(exponent);
  }
  return (bits_of(x) >> 31) != 0 && is_odd(y) ? -value : value;
}

inline float tanh(float x) noexcept {
  const float size = abs(x);
  if (size > 10) return x > 0 ? 1 : -1;
  if (size >= 0.625F) {
    const float value = 1 - 2 / (exp(size + size) + 1);
    return x > 0 ? value : -value;
  }
  const float z = x * x;
  float p = -5.70498872745E-3F;
  p = p * z + 2.06390887954E-2F;
  p = p * z - 5.37397155531E-2F;
  p = p * z + 1.33314422036E-1F;
  p = p * z - 3.33332819422E-1F;
  return p * z * x + x;
}

/// The error function of |x| <= 1.
inline float small_erf(float x) noexcept {
  const float z = x * x;
  float p = 7.853861353153693E-5F;
  p = p * z - 8.010193625184903E-4F;
  p = p * z + 5.188327685732524E-3F;
  p = p * z - 2.685381193529856E-2F;
  p = p * z + 1.128358514861418E-1F;
  p = p * z - 3.761262582423300E-1F;
  p = p * z + 1.128379165726710F;
  return p * x;
}

/// 1 less the error function, of x >= 0: Cephes' series (erfcf).
inline float complement_of_erf(float x) noexcept {
  if (x < 1) return 1 - small_erf(x);
  const float z = x * x;
  const float inverse = 1 / x, y = inverse * inverse;
  float p = 0;
  if (x < 2) {
    p = 2.326819970068386E-2F;
    p = p * y - 1.387039388740657E-1F;
    p = p * y + 3.687424674597105E-1F;
    p = p * y - 5.824733027278666E-1F;
    p = p * y + 6.210004621745983E-1F;
    p = p * y - 4.944515323274145E-1F;
    p = p * y + 3.404879937665872E-1F;
    p = p * y - 2.741127028184656E-1F;
    p = p * y + 5.638259427386472E-1F;
  } else {
    p = -1.047766399936249E+1F;
    p = p * y + 1.297719955372516E+1F;
    p = p * y - 7.495518717768503F;
    p = p * y + 2.921019019210786F;
    p = p * y - 1.015265279202700F;
    p = p * y + 4.218463358204948E-1F;
    p = p * y - 2.820767439740514E-1F;
    p = p * y + 5.641895067754075E-1F;
  }
  return exp(-z) * inverse * p;
}

inline float erf(float x) noexcept {
  const float size = abs(x);
  if (size < 1) return small_erf(x);
  const float value = 1 - complement_of_erf(size);
  return x < 0 ? -value : value;
}

inline float atan(float x) noexcept {
  const float size = abs(x);
  float value = 0, rest = size;
  if (size > 2.41421356F) {  // tan(3 pi / 8)
    value = 1.57079633F;
    rest = -1 / size;
  } else if (size > 0.414213562F) {  // tan(pi / 8)
    value = 0.785398163F;
    rest = (size - 1) / (size + 1);
  }
  const float z = rest * rest;
  float p = 8.05374449538E-2F;
  p = p * z - 1.38776856032E-1F;
  p = p * z + 1.99777106478E-1F;
  p = p * z - 3.33329491539E-1F;
  value += p * z * rest + rest;
  return x < 0 ? -value : value;
}

/// Times the normal distribution up to x.
inline float gelu(float x) noexcept {
  const float tail = complement_of_erf(abs(x) * 0.707106781F) * 0.5F;
  return x * (x < 0 ? tail : 1 - tail);
}

inline float gelu_by_tanh(float x) noexcept {
  return 0.5F * x * (1 + tanh(0.797884561F * (x + 0.044715F * x * x * x)));
}

/// As TensorFlow Lite, which goes other ways beyond two limits.
inline float logistic(float x) noexcept {
  if (x > 16.619047164916992188F) return 1;
  return x < -9 ? exp(x) : 1 / (1 + exp(-x));
}

inline float hard_swish(float x) noexcept { return x * limited(x + 3, 0, 6) / 6; }

/// x = (quarter + turn) * pi / 2, quarter modulo 4, |turn| <= 1/2. turn is given in radians.
struct Angle {
  uint32_t quarter;
  float turn;
};

/// The product with 2 / pi to 96 bits, of which 2 stand before the point and 32 are cut off.
inline Angle angle(float x) noexcept {
  // Below the point of 2 / pi, behind a word of zeros.
  constexpr uint32_t kTwoByPi[] = {0,           0xA2F9836EU, 0x4E441529U, 0xFC2757D1U,
                                   0xF534DDC0U, 0xDB629599U, 0x3C439041U, 0xFE5163ABU};
  const uint32_t bits = bits_of(abs(x));
  const uint64_t significand = (bits & 0x7FFFFFU) | 0x800000U;
  const uint32_t first = (bits >> 23) - 120;  // bit of the table
  const uint32_t* words = kTwoByPi + first / 32;
  const uint32_t shift = first % 32;
  const auto word = [&](int32_t k) -> uint64_t {
    return shift == 0 ? words[k] : (words[k] << shift) | (words[k + 1] >> (32 - shift));
  };
  const uint64_t product =
      ((significand * word(0)) << 32) + significand * word(1) + ((significand * word(2)) >> 32);
  const uint64_t quarter = (product + (uint64_t{1} << 61)) >> 62;
  const auto rest = static_cast<int64_t>(product - (quarter << 62));
  const float turn = static_cast<float>(rest) * (1.57079633F * 0x1p-62F);
  if (x >= 0) return {static_cast<uint32_t>(quarter), turn};
  return {static_cast<uint32_t>(4 - quarter) % 4, -turn};
}

inline float sine_of_quarter(const Angle& a) noexcept {
  const float z = a.turn * a.turn;
  if ((a.quarter & 1U) != 0) {
    const float p = (2.443315711809948E-5F * z - 1.388731625493765E-3F) * z;
    const float value = 1 + ((p + 4.166664568298827E-2F) * z * z - 0.5F * z);
    return a.quarter == 1 ? value : -value;
  }
  const float p = (-1.9515295891E-4F * z + 8.3321608736E-3F) * z - 1.6666654611E-1F;
  const float value = p * z * a.turn + a.turn;
  return a.quarter == 0 ? value : -value;
}

inline Angle turned(float x) noexcept { return abs(x) < 0.785F ? Angle{0, x} : angle(x); }

inline float sin(float x) noexcept {
  return abs(x) < kInfinity ? sine_of_quarter(turned(x)) : kNotANumber;
}

inline float cos(float x) noexcept {
  if (!(abs(x) < kInfinity)) return kNotANumber;
  Angle a = turned(x);
  a.quarter = (a.quarter + 1) % 4;
  return sine_of_quarter(a);
}

}  // namespace real
}  // namespace thimble::runtime
