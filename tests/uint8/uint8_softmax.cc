// SPDX-License-Identifier: Apache-2.0
// softmax.h of the reference kernels with gemmlowp's fixed point, in numbers with their binary
// point written out.
#include "tests/uint8/uint8_softmax.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "tests/uint8/uint8_fixed_point.h"

namespace thimble::testing {
namespace {

int32_t saturated_shift_left(int32_t x, int bits) {
  return static_cast<int32_t>(
      std::clamp<int64_t>(int64_t{x} * (int64_t{1} << bits), INT32_MIN, INT32_MAX));
}

/// e^a for a in [-1/4, 0), both without integer bits.
int32_t exp_between_minus_quarter_and_0(int32_t a) {
  const int32_t x = a + (1 << 28);
  const int32_t x2 = doubling_high_mul(x, x);
  const int32_t x3 = doubling_high_mul(x2, x), x4 = doubling_high_mul(x2, x2);
  const int32_t cubic = doubling_high_mul(divide_by_power(x4, 2) + x3, 715827883) + x2;
  return 1895147668 + doubling_high_mul(1895147668, x + divide_by_power(cubic, 1));
}

/// e^a for a <= 0 with 5 integer bits; no integer bits.
int32_t exp_on_negative(int32_t a) {
  if (a == 0) return INT32_MAX;
  const int32_t quarter = 1 << 24;
  const int32_t in_quarter = (a & (quarter - 1)) - quarter;
  int32_t result = exp_between_minus_quarter_and_0(saturated_shift_left(in_quarter, 5));
  const int32_t remainder = in_quarter - a;
  static constexpr int32_t kFactors[] = {1672461947, 1302514674, 790015084, 290630308,
                                         39332535,   720401,     242};
  for (int k = 0; k < 7; ++k) {
    if ((remainder & (1 << (24 + k))) != 0) result = doubling_high_mul(result, kFactors[k]);
  }
  return result;
}

}  // namespace

int32_t one_over_one_plus(int32_t a) {
  const int64_t sum = int64_t{a} + INT32_MAX;
  const auto half = static_cast<int32_t>((sum + (sum >= 0 ? 1 : -1)) / 2);
  int32_t x = 1515870810 + doubling_high_mul(half, -1010580540);  // two integer bits
  for (int k = 0; k < 3; ++k) {
    const int32_t error = (1 << 29) - doubling_high_mul(half, x);
    x += saturated_shift_left(doubling_high_mul(x, error), 2);
  }
  return saturated_shift_left(x, 1);
}

void softmax_uint8(double beta, float input_scale, const uint8_t* x, size_t count, uint8_t* out) {
  const double real = std::min(beta * double{input_scale} * (1 << 26), double{INT32_MAX});
  const Factor factor = factor_of(real);
  const auto least =
      -static_cast<int32_t>(std::floor(31.0 * (1 << 26) / std::ldexp(1, factor.shift)));
  const int32_t most = *std::max_element(x, x + count);
  const auto exponential = [&](size_t k) {
    return exp_on_negative(
        doubling_high_mul((x[k] - most) * (1 << factor.shift), factor.multiplier));
  };
  int32_t sum = 0;
  for (size_t k = 0; k < count; ++k) {
    if (x[k] - most >= least) sum += divide_by_power(exponential(k), 12);
  }
  const int headroom = std::countl_zero(static_cast<uint32_t>(sum));
  const auto less_one = static_cast<int32_t>(
      (static_cast<uint32_t>(sum) << static_cast<unsigned>(headroom)) - 0x80000000U);
  const int32_t scale = one_over_one_plus(less_one);
  for (size_t k = 0; k < count; ++k) {
    out[k] = 0;
    if (x[k] - most < least) continue;
    const int32_t unsaturated =
        divide_by_power(doubling_high_mul(scale, exponential(k)), 12 - headroom + 31 - 8);
    out[k] = static_cast<uint8_t>(std::clamp(unsaturated, 0, 255));
  }
}

}  // namespace thimble::testing
