// SPDX-License-Identifier: Apache-2.0
// Runs of bytes copied and filled in vectors of 16, the last one by its lanes.
#pragma once

#include <stdint.h>

#include "assembly.h"

namespace thimble::runtime {

/// count: at least 1. The runs do not overlap.
inline void copy_bytes(const int8_t* from, int8_t* to, int32_t count) noexcept {
#if defined(THIMBLE_MVE_ASSEMBLY)
  __asm__ volatile(
      "dlstp.8 lr, %[count]\n"
      "1:\n"
      "vldrb.8 q0, [%[from]], #16\n"
      "vstrb.8 q0, [%[to]], #16\n"
      "letp lr, 1b\n"
      : [from] "+r"(from), [to] "+r"(to)
      : [count] "r"(count)
      : "lr", "q0", "memory");
#else
  for (int32_t k = 0; k < count; ++k) to[k] = from[k];
#endif
}

inline void fill_bytes(int8_t* to, int32_t value, int32_t count) noexcept {
#if defined(THIMBLE_MVE_ASSEMBLY)
  __asm__ volatile(
      "vdup.8 q0, %[value]\n"
      "dlstp.8 lr, %[count]\n"
      "1:\n"
      "vstrb.8 q0, [%[to]], #16\n"
      "letp lr, 1b\n"
      : [to] "+r"(to)
      : [value] "r"(value), [count] "r"(count)
      : "lr", "q0", "memory");
#else
  for (int32_t k = 0; k < count; ++k) to[k] = static_cast<int8_t>(value);
#endif
}

/// Runs of a window one after the other (dsp/window_reader.h).
struct ByteRuns {
  int8_t* to;

  void copy(const int8_t* from, int32_t count) noexcept {
    if (count > 0) copy_bytes(from, to, count);
    to += count;
  }
  void copy_apart(const int8_t* from, int32_t apart, int32_t count) noexcept {
    for (; count > 0; --count, from += apart) *to++ = *from;
  }
  void fill(int32_t value, int32_t count) noexcept {
    if (count > 0) fill_bytes(to, value, count);
    to += count;
  }
};

}  // namespace thimble::runtime
