// SPDX-License-Identifier: Apache-2.0
// int8 -> int16, two words for every four inputs. `Inputs` says what is in them.
#pragma once

#include "simd32.h"
#include "thimble_runtime/uses.h"

namespace thimble::runtime {

/// Inputs 0 and 2 in one word, 1 and 3 in the next.
struct PlainInputs {
  static void put(uint32_t word, uint32_t* to) noexcept {
    to[0] = even_bytes(word);
    to[1] = odd_bytes(word);
  }

  /// Four from any address. The next belong `step` words behind.
  static void take(const int8_t*& from, uint32_t*& to, int32_t step) noexcept {
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
    put(load_4(from), to);
    from += 4;
#endif
    to += step;
  }
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

  static void take(const int8_t*& from, uint32_t*& to, int32_t step) noexcept {
    put(load_4(from), to);
    from += 4;
    to += step;
  }
};

/// count: any; the last four are filled up with zeros. Reads no byte behind them. step: 2 or 4
/// words from four to four. Returns where the next four belong.
template <class Inputs>
[[gnu::noinline]] inline uint32_t* widen(const int8_t* from, int32_t count, uint32_t* to,
                                         int32_t step) noexcept {
  for (; count >= 16; count -= 16) {
    Inputs::take(from, to, step);
    Inputs::take(from, to, step);
    Inputs::take(from, to, step);
    Inputs::take(from, to, step);
  }
  for (; count >= 4; count -= 4) Inputs::take(from, to, step);
  if (count == 0) return to;
  uint32_t word = 0;
  for (int32_t k = 0; k < count; ++k) {
    word |= static_cast<uint32_t>(static_cast<uint8_t>(from[k])) << 8 * k;
  }
  Inputs::put(word, to);
  return to + step;
}

/// How the windows of two pixels are widened, a and b side by side.
enum class Widening : int32_t {
  kAligned,  ///< runs are multiples of four, and begin at multiples of four
  kAny,
  kNines,  ///< three runs of nine: windows of 3 x 3 of three channels
};

/// The runs of a pixel and of those to its right, in the order that the assembly loads it in.
struct WindowRuns {
  const int8_t* const* begin;  ///< of each row of the window, where it has one
  const int8_t* const* end;
  int32_t step;    ///< from a pixel's run to the next one's
  int32_t fours;   ///< of a run
  int32_t offset;  ///< to be added to where runs begin
};

/// Where they go.
struct WidenedPair {
  uint32_t* to;
  Widening how;
  int32_t left;   ///< of a run, behind its fours
  int8_t* bytes;  ///< what is left of all runs of a, then of b
  int32_t apart;  ///< bytes from the one to the other, a multiple of four
};

#if defined(THIMBLE_SIMD32_ASSEMBLY)

// ".if USED": what follows up to ".endif" is there where it is used (uses.h).
#define THIMBLE_TEXT(x) #x
#define THIMBLE_IF(used) ".if " THIMBLE_TEXT(used) "\n"

// Windows of two pixels as assembly, in the middle of a function. On the stack: where a PairBlock
// (pair_tails.h) lies at 40, WindowRuns from step on at 44, two words for CONSTANTS at 56, one more
// at 64. Begins at label 20 with the block in r12; ends at label 25, in whose way all registers
// are. Runs are from r12 to lr; a at r0 and b at r1, so many fours in r2, go to r3.
//
// CONSTANTS: what is needed in r12 and lr. RUNS: these as they were. FOUR: what is in r4 and r6 to
// r4, r5 and r6, r7. NEXT: the same for r8 and r10.
#define THIMBLE_RUN          \
  "ldr r0, [r12], #4\n"      \
  "ldrd r1, r2, [sp, #44]\n" \
  "ldr r4, [sp, #52]\n"      \
  "add r0, r0, r4\n"         \
  "add r1, r1, r0\n"
#define THIMBLE_WIDEN_EIGHT(FOUR, NEXT) \
  "ldrd r4, r8, [r0], #8\n"             \
  "ldrd r6, r10, [r1], #8\n" FOUR NEXT "stm r3!, {r4, r5, r6, r7, r8, r9, r10, r11}\n"
#define THIMBLE_WIDEN_FOURS(FOUR) \
  "ldr r4, [r0], #4\n"            \
  "ldr r6, [r1], #4\n" FOUR       \
  "stm r3!, {r4, r5, r6, r7}\n"   \
  "subs r2, r2, #1\n"
#define THIMBLE_WIDEN_NINE(at, at_b, CONSTANTS, RUNS, FOUR, NEXT) \
  THIMBLE_RUN "ldr r2, [sp, #64]\n" CONSTANTS                     \
              "ldr r4, [r0]\n"                                    \
              "ldr r6, [r1]\n"                                    \
              "ldr r8, [r0, #4]\n"                                \
              "ldr r10, [r1, #4]\n" FOUR NEXT                     \
              "stm r3!, {r4, r5, r6, r7, r8, r9, r10, r11}\n"     \
              "ldrb r4, [r0, #8]\n"                               \
              "ldrb r6, [r1, #8]\n"                               \
              "strb r4, [r2, #" at                                \
              "]\n"                                               \
              "strb r6, [r2, #" at_b "]\n" RUNS

#define THIMBLE_WIDEN_WINDOWS(CONSTANTS, RUNS, FOUR, NEXT) \
  "20:\n"                                                                 \
  "ldrd r3, r4, [r12, #64]\n"                                             \
  "ldrd r5, r6, [r12, #72]\n" /* left, bytes */                           \
  "ldrd r12, lr, [r12, #32]\n"                                            \
  THIMBLE_IF(THIMBLE_USES_UNALIGNED_PAIRS)                                \
  "cmp r4, #1\n"                                                          \
  THIMBLE_IF(THIMBLE_USES_NINES)                                          \
  "bhi 33f\n"                                                             \
  ".endif\n"                                                              \
  "beq 26f\n"                                                             \
  ".endif\n"                                                              \
  "21:\n" THIMBLE_RUN CONSTANTS                                           \
  "subs r2, r2, #4\n"                                                     \
  "blo 23f\n"                                                             \
  "22:\n" THIMBLE_WIDEN_EIGHT(FOUR, NEXT) THIMBLE_WIDEN_EIGHT(FOUR, NEXT) \
  "subs r2, r2, #4\n"                                                     \
  "bhs 22b\n"                                                             \
  "23:\n"                                                                 \
  "lsls r2, r2, #31\n" /* what is left: 2 to carry, 1 to minus */         \
  "bcc 24f\n" THIMBLE_WIDEN_EIGHT(FOUR, NEXT)                             \
  "24:\n"                                                                 \
  "bpl 24f\n"                                                             \
  "ldr r4, [r0]\n"                                                        \
  "ldr r6, [r1]\n" FOUR                                                   \
  "stm r3!, {r4, r5, r6, r7}\n"                                           \
  "24:\n" RUNS                                                            \
  "cmp r12, lr\n"                                                         \
  "bne 21b\n"                                                             \
  THIMBLE_IF(THIMBLE_USES_UNALIGNED_PAIRS)                                \
  "b 25f\n"                                                               \
  "26:\n"                                                                 \
  "str r6, [sp, #64]\n"                                                   \
  "27:\n" THIMBLE_RUN CONSTANTS                                           \
  "cbz r2, 29f\n"                                                         \
  "28:\n" THIMBLE_WIDEN_FOURS(FOUR)                                       \
  "bne 28b\n"                                                             \
  "29:\n"                                                                 \
  "ldr r8, [sp, #40]\n"                                                   \
  "ldr r2, [r8, #72]\n"                                                   \
  "cbz r2, 32f\n"                                                         \
  "ldr r9, [sp, #64]\n"                                                   \
  "ldr r8, [r8, #80]\n"                                                   \
  "lsls r2, r2, #31\n"                                                    \
  "bpl 30f\n"                                                             \
  "ldrb r4, [r0], #1\n"                                                   \
  "ldrb r6, [r1], #1\n"                                                   \
  "strb r6, [r9, r8]\n"                                                   \
  "strb r4, [r9], #1\n"                                                   \
  "30:\n"                                                                 \
  "bcc 30f\n"                                                             \
  "ldrh r4, [r0]\n"                                                       \
  "ldrh r6, [r1]\n"                                                       \
  "strh r6, [r9, r8]\n"                                                   \
  "strh r4, [r9], #2\n"                                                   \
  "30:\n"                                                                 \
  "str r9, [sp, #64]\n"                                                   \
  "32:\n" RUNS                                                            \
  "cmp r12, lr\n"                                                         \
  "bne 27b\n"                                                             \
  "ldr r8, [sp, #40]\n"                                                   \
  "ldr r2, [r8, #72]\n"                                                   \
  "cmp r2, #0\n"                                                          \
  "beq 25f\n"                                                             \
  "ldrd r0, r1, [r8, #76]\n"                                              \
  "lsr r2, r1, #2\n"                                                      \
  "add r1, r1, r0\n" CONSTANTS                                            \
  "31:\n" THIMBLE_WIDEN_FOURS(FOUR)                                       \
  "bne 31b\n"                                                             \
  THIMBLE_IF(THIMBLE_USES_NINES)                                          \
  "b 25f\n"                                                               \
  "33:\n"                                                                 \
  "str r6, [sp, #64]\n"                                                   \
  THIMBLE_WIDEN_NINE("0", "4", CONSTANTS, RUNS, FOUR, NEXT)               \
  THIMBLE_WIDEN_NINE("1", "5", CONSTANTS, RUNS, FOUR, NEXT)               \
  THIMBLE_WIDEN_NINE("2", "6", CONSTANTS, "", FOUR, NEXT)                 \
  "ldr r4, [r2]\n"                                                        \
  "ldr r6, [r2, #4]\n" FOUR                                               \
  "stm r3!, {r4, r5, r6, r7}\n"                                           \
  ".endif\n"                                                              \
  ".endif\n"                                                              \
  "25:\n"

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
  "strd r12, lr, [sp, #56]\n"   \
  "mov r12, #0xff00ff00\n"      \
  "movw lr, #0xff81\n"          \
  "movt lr, #0xff81\n"

#define THIMBLE_WIDEN_PLAIN                                                          \
  THIMBLE_WIDEN_WINDOWS("", "", THIMBLE_PLAIN("r4", "r5") THIMBLE_PLAIN("r6", "r7"), \
                        THIMBLE_PLAIN("r8", "r9") THIMBLE_PLAIN("r10", "r11"))
#define THIMBLE_WIDEN_MIXED                                                   \
  THIMBLE_WIDEN_WINDOWS(THIMBLE_MIXED_CONSTANTS, "ldrd r12, lr, [sp, #56]\n", \
                        THIMBLE_MIXED("r4", "r5") THIMBLE_MIXED("r6", "r7"),  \
                        THIMBLE_MIXED("r8", "r9") THIMBLE_MIXED("r10", "r11"))

#endif

/// The definition of what the assembly does.
template <class Inputs>
inline void widen_windows(const WindowRuns& runs, const WidenedPair& pair) noexcept {
  uint32_t* to = pair.to;
  int8_t* bytes = pair.bytes;
  const auto widen_both = [&](const int8_t* a, const int8_t* b, int32_t fours) {
    for (; fours > 0; --fours) {
      Inputs::take(a, to, 2);
      Inputs::take(b, to, 2);
    }
  };
  for (const int8_t* const* run = runs.begin; run != runs.end; ++run) {
    const int8_t* const a = *run + runs.offset;
    widen_both(a, a + runs.step, runs.fours);
    for (int32_t k = 4 * runs.fours; k < 4 * runs.fours + pair.left; ++k, ++bytes) {
      bytes[0] = a[k];
      bytes[pair.apart] = a[runs.step + k];
    }
  }
  if (pair.left > 0) widen_both(pair.bytes, pair.bytes + pair.apart, pair.apart / 4);
}

/// Rows of `run` elements one behind the other: the fours of all, then what is left of all, which
/// is put together where the rows were and filled up with zeros; or each filled up by itself.
template <class Inputs>
inline void widen_rows(int8_t* bytes, int32_t rows, int32_t run, bool filled, uint32_t* to,
                       int32_t step) noexcept {
  if (filled) {
    for (; rows > 0; --rows, bytes += run) to = widen<Inputs>(bytes, run, to, step);
    return;
  }
  const int32_t left = run % 4;
  const int8_t* from = bytes;
  int8_t* rest = bytes;
  for (int32_t ky = 0; ky < rows; ++ky) {
    for (int32_t k = run / 4; k > 0; --k) Inputs::take(from, to, step);
    for (int32_t k = left; k > 0; --k) *rest++ = *from++;
  }
  widen<Inputs>(bytes, rows * left, to, step);
}

/// Widens bytes that are `apart` from each other.
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
