// SPDX-License-Identifier: Apache-2.0
// Pairs of int16 in one register, as Armv7E-M and the DSP extension of Armv8-M have them. Elsewhere
// (on the host, where plans are proved) the same in C++.
#pragma once

#include <stdint.h>

#if defined(__ARM_FEATURE_SIMD32)
#include <arm_acle.h>
#if defined(__thumb2__) && !defined(__ARM_BIG_ENDIAN)
#define THIMBLE_SIMD32_ASSEMBLY 1  // else inner blocks are C++, too
#endif
#endif

namespace thimble::runtime {

/// Four int8 from any address.
inline uint32_t load_4(const int8_t* from) noexcept {
  uint32_t word;
  __builtin_memcpy(&word, from, sizeof(word));
  return word;
}

#if defined(__ARM_FEATURE_SIMD32)

/// Bytes 0 and 2 as two int16.
inline uint32_t even_bytes(uint32_t word) noexcept {
  return static_cast<uint32_t>(__sxtb16(static_cast<int8x4_t>(word)));
}
/// Bytes 1 and 3.
inline uint32_t odd_bytes(uint32_t word) noexcept { return even_bytes(word >> 8 | word << 24); }
/// Bytes 0 and 2, or 1 and 3, added to two int16.
inline uint32_t add_even_bytes(uint32_t halves, uint32_t word) noexcept {
  return static_cast<uint32_t>(
      __sxtab16(static_cast<int16x2_t>(halves), static_cast<int8x4_t>(word)));
}
inline uint32_t add_odd_bytes(uint32_t halves, uint32_t word) noexcept {
  uint32_t result;
  __asm__("sxtab16 %0, %1, %2, ror #8" : "=r"(result) : "r"(halves), "r"(word));
  return result;
}
/// a - b, half by half.
inline uint32_t subtract_halves(uint32_t a, uint32_t b) noexcept {
  return static_cast<uint32_t>(__ssub16(static_cast<int16x2_t>(a), static_cast<int16x2_t>(b)));
}
/// sum + both products of the halves.
inline int32_t dual_multiply_add(uint32_t a, uint32_t b, int32_t sum) noexcept {
  return __smlad(static_cast<int16x2_t>(a), static_cast<int16x2_t>(b), sum);
}

/// The larger of each pair of int8.
inline uint32_t max_of_bytes(uint32_t a, uint32_t b) noexcept {
  uint32_t result;
  __asm__("ssub8 %0, %1, %2\n\tsel %0, %1, %2" : "=&r"(result) : "r"(a), "r"(b) : "cc");
  return result;
}
/// The smaller.
inline uint32_t min_of_bytes(uint32_t a, uint32_t b) noexcept {
  uint32_t result;
  __asm__("ssub8 %0, %1, %2\n\tsel %0, %2, %1" : "=&r"(result) : "r"(a), "r"(b) : "cc");
  return result;
}

/// c + round(a * b / 2^32), half up.
inline int32_t add_rounded_high(int32_t a, int32_t b, int32_t c) noexcept {
  int32_t result;
  __asm__("smmlar %0, %1, %2, %3" : "=r"(result) : "r"(a), "r"(b), "r"(c));
  return result;
}
/// Limited to int8.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"  // in GCC's macro
inline int32_t saturate_8(int32_t x) noexcept { return __ssat(x, 8); }
#pragma GCC diagnostic pop

#else

inline uint32_t max_of_bytes(uint32_t a, uint32_t b) noexcept {
  uint32_t result = 0;
  for (int32_t k = 0; k < 32; k += 8) {
    const bool larger = static_cast<int8_t>(a >> k) > static_cast<int8_t>(b >> k);
    result |= (larger ? a : b) & 0xFFU << k;
  }
  return result;
}
inline uint32_t min_of_bytes(uint32_t a, uint32_t b) noexcept { return ~max_of_bytes(~a, ~b); }
inline int32_t add_rounded_high(int32_t a, int32_t b, int32_t c) noexcept {
  const int64_t product = static_cast<int64_t>(a) * b + (int64_t{1} << 31);
  return static_cast<int32_t>(product >> 32) + c;
}
inline int32_t saturate_8(int32_t x) noexcept { return x < -128 ? -128 : x > 127 ? 127 : x; }
inline uint32_t even_bytes(uint32_t word) noexcept {
  const auto low = static_cast<uint16_t>(static_cast<int8_t>(word));
  const auto high = static_cast<uint16_t>(static_cast<int8_t>(word >> 16));
  return low | static_cast<uint32_t>(high) << 16;
}
inline uint32_t odd_bytes(uint32_t word) noexcept { return even_bytes(word >> 8); }
inline uint32_t add_even_bytes(uint32_t halves, uint32_t word) noexcept {
  const uint32_t bytes = even_bytes(word);
  return ((halves + bytes) & 0xFFFF) | ((halves & ~0xFFFFu) + (bytes & ~0xFFFFu));
}
inline uint32_t add_odd_bytes(uint32_t halves, uint32_t word) noexcept {
  return add_even_bytes(halves, word >> 8);
}
inline uint32_t subtract_halves(uint32_t a, uint32_t b) noexcept {
  return ((a - b) & 0xFFFF) | ((a & ~0xFFFFu) - (b & ~0xFFFFu));
}
inline int32_t dual_multiply_add(uint32_t a, uint32_t b, int32_t sum) noexcept {
  const auto low = [](uint32_t x) { return int32_t{static_cast<int16_t>(x)}; };
  const auto high = [](uint32_t x) { return int32_t{static_cast<int16_t>(x >> 16)}; };
  return sum + low(a) * low(b) + high(a) * high(b);
}

#endif

}  // namespace thimble::runtime
