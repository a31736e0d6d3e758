// SPDX-License-Identifier: Apache-2.0
// int8 -> int16, four at a time: inputs 0 and 2 in one word, 1 and 3 in the next.
#pragma once

#include "simd32.h"

namespace thimble::runtime {

/// Sixteen of them from any address, the words of each four `kStep` words behind those before.
template <int kStep>
inline void widen_sixteen(const int8_t*& from, uint32_t*& to) noexcept {
#if defined(THIMBLE_SIMD32_ASSEMBLY)
  uint32_t even;
  uint32_t odd;
  __asm__ volatile(
      ".rept 4\n"
      "ldr %[odd], [%[from]], #4\n"
      "sxtb16 %[even], %[odd]\n"
      "sxtb16 %[odd], %[odd], ror #8\n"
      "strd %[even], %[odd], [%[to]], %[step]\n"
      ".endr\n"
      : [from] "+r"(from), [to] "+r"(to), [even] "=&r"(even), [odd] "=&r"(odd)
      : [step] "I"(4 * kStep)
      : "memory");
#else
  for (int32_t k = 0; k < 4; ++k, from += 4, to += kStep) {
    to[0] = even_bytes(load_4(from));
    to[1] = odd_bytes(load_4(from));
  }
#endif
}

/// count: any; the last four are filled up with zeros. Reads no byte behind them. Returns where the
/// next four belong.
template <int kStep>
[[gnu::noinline]] inline uint32_t* widen(const int8_t* from, int32_t count, uint32_t* to) noexcept {
  for (; count >= 16; count -= 16) widen_sixteen<kStep>(from, to);
  for (; count >= 4; count -= 4, from += 4, to += kStep) {
    const uint32_t word = load_4(from);
    to[0] = even_bytes(word);
    to[1] = odd_bytes(word);
  }
  if (count == 0) return to;
  uint32_t word = 0;
  for (int32_t k = 0; k < count; ++k) {
    word |= static_cast<uint32_t>(static_cast<uint8_t>(from[k])) << 8 * k;
  }
  to[0] = even_bytes(word);
  to[1] = odd_bytes(word);
  return to + kStep;
}

/// step: 2 or 4.
inline uint32_t* widen(const int8_t* from, int32_t count, uint32_t* to, int32_t step) noexcept {
  return step == 4 ? widen<4>(from, count, to) : widen<2>(from, count, to);
}

/// The same of bytes `apart` from each other.
[[gnu::noinline]] inline uint32_t* widen_apart(const int8_t* from, int32_t apart, int32_t count,
                                               uint32_t* to, int32_t step) noexcept {
  for (; count > 0; count -= 4, to += step) {
    uint32_t word = 0;
    for (int32_t k = 0; k < count && k < 4; ++k, from += apart)
      word |= static_cast<uint32_t>(static_cast<uint8_t>(*from)) << 8 * k;
    to[0] = even_bytes(word);
    to[1] = odd_bytes(word);
  }
  return to;
}

}  // namespace thimble::runtime
