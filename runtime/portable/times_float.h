// SPDX-License-Identifier: Apache-2.0
// A whole number times a float32, rounded as float32 and then to a whole number, ties to even both
// times: how ONNX Runtime requantises (docs/arithmetic.md).
#pragma once

#include <stdint.h>

namespace thimble::runtime {

/// x / 2^right to the nearest, ties to even; right 0 to 63.
inline uint64_t nearest_even(uint64_t x, int32_t right) noexcept {
  if (right == 0) return x;
  const uint64_t odd = x >> right & 1;
  return (x + (uint64_t{1} << (right - 1)) - 1 + odd) >> right;
}

/// times_float() in whole numbers, for cores without an FPU.
inline int32_t times_float_in_integers(int32_t x, int32_t bits) noexcept {
  constexpr int32_t kBits = 24;  // of a float32's numbers
  const auto scale = static_cast<uint32_t>(bits);
  uint64_t product = x < 0 ? uint32_t{0} - static_cast<uint32_t>(x) : static_cast<uint32_t>(x);
  int32_t exponent = static_cast<int32_t>(scale >> (kBits - 1) & 255) - 150;
  const auto round = [&]() noexcept {
    const int32_t right = 64 - kBits - __builtin_clzll(product | 1);
    if (right <= 0) return;
    product = nearest_even(product, right);
    exponent += right;
  };
  round();
  product *= (scale & 0x7FFFFF) | 0x800000;
  round();
  constexpr int32_t kMost = 1 << 22;
  if (exponent >= 0) return product == 0 ? 0 : x < 0 ? -kMost : kMost;
  const uint64_t whole = exponent < -63 ? 0 : nearest_even(product, -exponent);
  const auto limited = whole > kMost ? kMost : static_cast<int32_t>(whole);
  return x < 0 ? -limited : limited;
}

/// The nearest whole number, ties to even, within +-2^22.
inline int32_t to_whole(float x) noexcept {
#if defined(__ARM_FP) && (__ARM_FP & 4) && defined(__arm__)
  float whole;  // an int32_t, in a register of floats
  __asm__("vcvtr.s32.f32 %0, %1" : "=t"(whole) : "t"(x));
  int32_t result;
  __builtin_memcpy(&result, &whole, sizeof result);
  __asm__("ssat %0, #23, %0" : "+r"(result));
  return result;
#else
  constexpr float kMost = 4194304;
  if (x < -kMost) return -(1 << 22);
  if (x > kMost) return 1 << 22;
  // Numbers from 2^23 to 2^24 are whole, and sums are rounded to even.
  constexpr float kWhole = 12582912;
  return static_cast<int32_t>((x + kWhole) - kWhole);
#endif
}

/// float(x) * the positive float32 with these bits, within +-2^22.
inline int32_t times_float(int32_t x, int32_t bits) noexcept {
#if (defined(__arm__) && !(defined(__ARM_FP) && (__ARM_FP & 4))) || \
    (defined(__riscv) && !defined(__riscv_flen))
  return times_float_in_integers(x, bits);
#else
  float scale;
  __builtin_memcpy(&scale, &bits, sizeof scale);
  return to_whole(static_cast<float>(x) * scale);
#endif
}

}  // namespace thimble::runtime
