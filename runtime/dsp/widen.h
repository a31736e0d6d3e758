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

#if defined(THIMBLE_SIMD32_ASSEMBLY)

/// Fours of two pixels from any addresses beside each other. Returns where the next belong.
[[gnu::naked, gnu::noinline, gnu::noclone]] inline uint32_t* widen_two(const int8_t*, const int8_t*,
                                                                       int32_t,
                                                                       uint32_t*) noexcept {
#define THIMBLE_WIDEN_EIGHT   \
  "ldrd r4, r8, [r0], #8\n"   \
  "ldrd r6, r10, [r1], #8\n"  \
  "sxtb16 r5, r4, ror #8\n"   \
  "sxtb16 r4, r4\n"           \
  "sxtb16 r9, r8, ror #8\n"   \
  "sxtb16 r8, r8\n"           \
  "sxtb16 r7, r6, ror #8\n"   \
  "sxtb16 r6, r6\n"           \
  "sxtb16 r11, r10, ror #8\n" \
  "sxtb16 r10, r10\n"         \
  "stm r3!, {r4, r5, r6, r7, r8, r9, r10, r11}\n"
  __asm__ volatile(
      "push {r4, r5, r6, r7, r8, r9, r10, r11, lr}\n"
      "orr r4, r0, r1\n"
      "lsls r4, r4, #30\n"
      "bne 5f\n"  // not aligned to four
      "subs r2, r2, #4\n"
      "blo 2f\n"
      "1:\n"  //
      THIMBLE_WIDEN_EIGHT THIMBLE_WIDEN_EIGHT
      "subs r2, r2, #4\n"
      "bhs 1b\n"
      "2:\n"
      "lsls r2, r2, #31\n"  // what is left: 2 to carry, 1 to minus
      "bcc 3f\n"            //
      THIMBLE_WIDEN_EIGHT
      "3:\n"
      "bpl 4f\n"
      "ldr r4, [r0]\n"
      "ldr r6, [r1]\n"
      "sxtb16 r5, r4, ror #8\n"
      "sxtb16 r4, r4\n"
      "sxtb16 r7, r6, ror #8\n"
      "sxtb16 r6, r6\n"
      "stm r3!, {r4, r5, r6, r7}\n"
      "4:\n"
      "mov r0, r3\n"
      "pop {r4, r5, r6, r7, r8, r9, r10, r11, pc}\n"
      "5:\n"
      "cmp r2, #0\n"
      "beq 4b\n"
      "6:\n"
      "ldr r4, [r0], #4\n"
      "ldr r6, [r1], #4\n"
      "sxtb16 r5, r4, ror #8\n"
      "sxtb16 r4, r4\n"
      "sxtb16 r7, r6, ror #8\n"
      "sxtb16 r6, r6\n"
      "stm r3!, {r4, r5, r6, r7}\n"
      "subs r2, r2, #1\n"
      "bne 6b\n"
      "b 4b\n");
#undef THIMBLE_WIDEN_EIGHT
}

#else

inline uint32_t* widen_two(const int8_t* a, const int8_t* b, int32_t fours, uint32_t* to) noexcept {
  widen<4>(b, 4 * fours, to + 2);
  return widen<4>(a, 4 * fours, to);
}

#endif

/// step: 2 or 4.
inline uint32_t* widen(const int8_t* from, int32_t count, uint32_t* to, int32_t step) noexcept {
  return step == 4 ? widen<4>(from, count, to) : widen<2>(from, count, to);
}

/// Four from any address.
inline void widen_four(const int8_t*& from, uint32_t*& to, int32_t step) noexcept {
#if defined(THIMBLE_SIMD32_ASSEMBLY)
  uint32_t even;
  uint32_t odd;
  __asm__ volatile(
      "ldr %[odd], [%[from]], #4\n"
      "sxtb16 %[even], %[odd]\n"
      "sxtb16 %[odd], %[odd], ror #8\n"
      "strd %[even], %[odd], [%[to]]\n"
      : [from] "+r"(from), [even] "=&r"(even), [odd] "=&r"(odd)
      : [to] "r"(to)
      : "memory");
#else
  const uint32_t word = load_4(from);
  from += 4;
  to[0] = even_bytes(word);
  to[1] = odd_bytes(word);
#endif
  to += step;
}

/// Rows of `run` elements one behind the other: the fours of all, then what is left of all, which
/// is put together where the rows were and filled up with zeros.
inline void widen_rows(int8_t* bytes, int32_t rows, int32_t run, uint32_t* to,
                       int32_t step) noexcept {
  const int32_t left = run % 4;
  const int8_t* from = bytes;
  int8_t* rest = bytes;
  for (int32_t ky = 0; ky < rows; ++ky) {
    for (int32_t k = run / 4; k > 0; --k) widen_four(from, to, step);
    for (int32_t k = left; k > 0; --k) *rest++ = *from++;
  }
  widen(bytes, rows * left, to, step);
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
