// SPDX-License-Identifier: Apache-2.0
// int8 -> int16, two words for every four inputs. `Inputs` says what is in them.
#pragma once

#include "simd32.h"

namespace thimble::runtime {

/// Inputs 0 and 2 in one word, 1 and 3 in the next.
struct PlainInputs {
  static void put(uint32_t word, uint32_t* to) noexcept {
    to[0] = even_bytes(word);
    to[1] = odd_bytes(word);
  }

  /// Four from any address. The next belong kStep words behind.
  template <int kStep>
  static void take(const int8_t*& from, uint32_t*& to) noexcept {
#if defined(THIMBLE_SIMD32_ASSEMBLY)
    uint32_t even;
    uint32_t odd;
    __asm__ volatile(
        "ldr %[odd], [%[from]], #4\n"
        "sxtb16 %[even], %[odd]\n"
        "sxtb16 %[odd], %[odd], ror #8\n"
        "strd %[even], %[odd], [%[to]], %[step]\n"
        : [from] "+r"(from), [to] "+r"(to), [even] "=&r"(even), [odd] "=&r"(odd)
        : [step] "I"(4 * kStep)
        : "memory");
#else
    put(load_4(from), to);
    from += 4;
    to += kStep;
#endif
  }

  static uint32_t* widen_two(const int8_t* a, const int8_t* b, int32_t fours,
                             uint32_t* to) noexcept;
};

/// What meets weights of 8 bits (compact_weights.h): inputs 1 and 3, less 127, in one word; in the
/// next 0 and 2 times 256, less those. All fit 16 bits.
struct MixedInputs {
  static constexpr int32_t kLess = 127;

  static void put(uint32_t word, uint32_t* to) noexcept {
    constexpr uint32_t less = (static_cast<uint32_t>(-kLess) & 0xffffU) * 0x10001U;
    to[0] = add_odd_bytes(less, word);
    to[1] = subtract_halves(word << 8 & 0xff00ff00U, to[0]);
  }

  template <int kStep>
  static void take(const int8_t*& from, uint32_t*& to) noexcept {
    put(load_4(from), to);
    from += 4;
    to += kStep;
  }

  static uint32_t* widen_two(const int8_t* a, const int8_t* b, int32_t fours,
                             uint32_t* to) noexcept;
};

/// count: any; the last four are filled up with zeros. Reads no byte behind them. Returns where the
/// next four belong.
template <class Inputs, int kStep>
[[gnu::noinline]] inline uint32_t* widen(const int8_t* from, int32_t count, uint32_t* to) noexcept {
  for (; count >= 16; count -= 16) {
    Inputs::template take<kStep>(from, to);
    Inputs::template take<kStep>(from, to);
    Inputs::template take<kStep>(from, to);
    Inputs::template take<kStep>(from, to);
  }
  for (; count >= 4; count -= 4) Inputs::template take<kStep>(from, to);
  if (count == 0) return to;
  uint32_t word = 0;
  for (int32_t k = 0; k < count; ++k) {
    word |= static_cast<uint32_t>(static_cast<uint8_t>(from[k])) << 8 * k;
  }
  Inputs::put(word, to);
  return to + kStep;
}

#if defined(THIMBLE_SIMD32_ASSEMBLY)

// Fours of two pixels, a r0 and b r1, beside each other. BEGIN: sets registers. EIGHT: two of each.
// FOUR: what is in r4 and r6 to r4, r5 and r6, r7.
#define THIMBLE_WIDEN_TWO(BEGIN, EIGHT, FOUR)                     \
  "push {r4, r5, r6, r7, r8, r9, r10, r11, lr}\n" BEGIN           \
  "orr r4, r0, r1\n"                                              \
  "lsls r4, r4, #30\n"                                            \
  "bne 5f\n" /* not aligned to four */                            \
  "subs r2, r2, #4\n"                                             \
  "blo 2f\n"                                                      \
  "1:\n" EIGHT EIGHT                                              \
  "subs r2, r2, #4\n"                                             \
  "bhs 1b\n"                                                      \
  "2:\n"                                                          \
  "lsls r2, r2, #31\n" /* what is left: 2 to carry, 1 to minus */ \
  "bcc 3f\n" EIGHT                                                \
  "3:\n"                                                          \
  "bpl 4f\n"                                                      \
  "ldr r4, [r0]\n"                                                \
  "ldr r6, [r1]\n" FOUR                                           \
  "stm r3!, {r4, r5, r6, r7}\n"                                   \
  "4:\n"                                                          \
  "mov r0, r3\n"                                                  \
  "pop {r4, r5, r6, r7, r8, r9, r10, r11, pc}\n"                  \
  "5:\n"                                                          \
  "cmp r2, #0\n"                                                  \
  "beq 4b\n"                                                      \
  "6:\n"                                                          \
  "ldr r4, [r0], #4\n"                                            \
  "ldr r6, [r1], #4\n" FOUR                                       \
  "stm r3!, {r4, r5, r6, r7}\n"                                   \
  "subs r2, r2, #1\n"                                             \
  "bne 6b\n"                                                      \
  "b 4b\n"
#define THIMBLE_WIDEN_EIGHT(FOUR, NEXT) \
  "ldrd r4, r8, [r0], #8\n"             \
  "ldrd r6, r10, [r1], #8\n" FOUR NEXT "stm r3!, {r4, r5, r6, r7, r8, r9, r10, r11}\n"

// A word in `first` to `first` and `second`.
#define THIMBLE_PLAIN(first, second) \
  "sxtb16 " second ", " first        \
  ", ror #8\n"                       \
  "sxtb16 " first ", " first "\n"
#define THIMBLE_MIXED(first, second) \
  "and " second ", r12, " first      \
  ", lsl #8\n"                       \
  "sxtab16 " first ", lr, " first    \
  ", ror #8\n"                       \
  "ssub16 " second ", " second ", " first "\n"
#define THIMBLE_MIXED_CONSTANTS \
  "mov r12, #0xff00ff00\n"      \
  "movw lr, #0xff81\n"          \
  "movt lr, #0xff81\n"

/// Fours of two pixels from any addresses beside each other. Returns where the next belong.
[[gnu::naked, gnu::noinline, gnu::noclone]] inline uint32_t* PlainInputs::widen_two(
    const int8_t*, const int8_t*, int32_t, uint32_t*) noexcept {
#define THIMBLE_PLAIN_FOUR THIMBLE_PLAIN("r4", "r5") THIMBLE_PLAIN("r6", "r7")
#define THIMBLE_PLAIN_NEXT THIMBLE_PLAIN("r8", "r9") THIMBLE_PLAIN("r10", "r11")
  __asm__ volatile(THIMBLE_WIDEN_TWO(
      "", THIMBLE_WIDEN_EIGHT(THIMBLE_PLAIN_FOUR, THIMBLE_PLAIN_NEXT), THIMBLE_PLAIN_FOUR));
}

[[gnu::naked, gnu::noinline, gnu::noclone]] inline uint32_t* MixedInputs::widen_two(
    const int8_t*, const int8_t*, int32_t, uint32_t*) noexcept {
#define THIMBLE_MIXED_FOUR THIMBLE_MIXED("r4", "r5") THIMBLE_MIXED("r6", "r7")
#define THIMBLE_MIXED_NEXT THIMBLE_MIXED("r8", "r9") THIMBLE_MIXED("r10", "r11")
  __asm__ volatile(THIMBLE_WIDEN_TWO(THIMBLE_MIXED_CONSTANTS,
                                     THIMBLE_WIDEN_EIGHT(THIMBLE_MIXED_FOUR, THIMBLE_MIXED_NEXT),
                                     THIMBLE_MIXED_FOUR));
}

#else

template <class Inputs>
inline uint32_t* widen_both(const int8_t* a, const int8_t* b, int32_t fours,
                            uint32_t* to) noexcept {
  widen<Inputs, 4>(b, 4 * fours, to + 2);
  return widen<Inputs, 4>(a, 4 * fours, to);
}
inline uint32_t* PlainInputs::widen_two(const int8_t* a, const int8_t* b, int32_t fours,
                                        uint32_t* to) noexcept {
  return widen_both<PlainInputs>(a, b, fours, to);
}
inline uint32_t* MixedInputs::widen_two(const int8_t* a, const int8_t* b, int32_t fours,
                                        uint32_t* to) noexcept {
  return widen_both<MixedInputs>(a, b, fours, to);
}

#endif

/// step: 2 or 4.
template <class Inputs>
inline uint32_t* widen(const int8_t* from, int32_t count, uint32_t* to, int32_t step) noexcept {
  return step == 4 ? widen<Inputs, 4>(from, count, to) : widen<Inputs, 2>(from, count, to);
}

/// Rows of `run` elements one behind the other: the fours of all, then what is left of all, which
/// is put together where the rows were and filled up with zeros.
template <class Inputs>
inline void widen_rows(int8_t* bytes, int32_t rows, int32_t run, uint32_t* to,
                       int32_t step) noexcept {
  const int32_t left = run % 4;
  const int8_t* from = bytes;
  int8_t* rest = bytes;
  for (int32_t ky = 0; ky < rows; ++ky) {
    for (int32_t k = run / 4; k > 0; --k, to += step) Inputs::template take<0>(from, to);
    for (int32_t k = left; k > 0; --k) *rest++ = *from++;
  }
  widen<Inputs>(bytes, rows * left, to, step);
}

/// The same of bytes `apart` from each other.
template <class Inputs>
[[gnu::noinline]] inline uint32_t* widen_apart(const int8_t* from, int32_t apart, int32_t count,
                                               uint32_t* to, int32_t step) noexcept {
  for (; count > 0; count -= 4, to += step) {
    uint32_t word = 0;
    for (int32_t k = 0; k < count && k < 4; ++k, from += apart)
      word |= static_cast<uint32_t>(static_cast<uint8_t>(*from)) << 8 * k;
    Inputs::put(word, to);
  }
  return to;
}

}  // namespace thimble::runtime
