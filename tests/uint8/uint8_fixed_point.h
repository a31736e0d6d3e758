// SPDX-License-Identifier: Apache-2.0
// Factors of TensorFlow Lite's kernels (quantization_util.cc, common.h) and gemmlowp's products.
#pragma once

#include <cmath>
#include <cstdint>

namespace thimble::testing {

/// multiplier * 2^(shift - 31).
struct Factor {
  int32_t multiplier = 0;
  int shift = 0;
};

inline Factor factor_of(double real) {
  Factor result;
  if (real == 0) return result;
  int64_t fixed = std::llround(std::frexp(real, &result.shift) * 0x1p31);
  if (fixed == int64_t{1} << 31) {
    fixed /= 2;
    ++result.shift;
  }
  if (result.shift < -31) return {};
  result.multiplier = static_cast<int32_t>(fixed);
  return result;
}

/// a * b / 2^31, rounded half away from zero.
inline int32_t doubling_high_mul(int32_t a, int32_t b) {
  if (a == b && a == INT32_MIN) return INT32_MAX;
  const int64_t product = int64_t{a} * b;
  const int64_t nudge = product >= 0 ? int64_t{1} << 30 : 1 - (int64_t{1} << 30);
  return static_cast<int32_t>((product + nudge) / (int64_t{1} << 31));
}

/// x / 2^bits, rounded half away from zero.
inline int32_t divide_by_power(int32_t x, int bits) {
  const auto mask = static_cast<int32_t>((int64_t{1} << bits) - 1);
  const int32_t rest = x & mask;
  return (x >> bits) + (rest > (mask >> 1) + (x < 0 ? 1 : 0) ? 1 : 0);
}

inline int32_t times(int32_t x, Factor factor) {
  const int left = factor.shift > 0 ? factor.shift : 0;
  const int right = factor.shift > 0 ? 0 : -factor.shift;
  return divide_by_power(doubling_high_mul(x * (1 << left), factor.multiplier), right);
}

}  // namespace thimble::testing
