// SPDX-License-Identifier: Apache-2.0
// int8 -> int16, four at a time: inputs 0 and 2 in one word, 1 and 3 in the next.
#pragma once

#include "simd32.h"

namespace thimble::runtime {

/// Writes them `step` words apart and returns where the next four belong.
inline uint32_t* widen_four(uint32_t word, uint32_t* to, int32_t step) noexcept {
  to[0] = even_bytes(word);
  to[1] = odd_bytes(word);
  return to + step;
}

/// count: any; the last four are filled up with zeros. Reads no byte behind them. One for all, as
/// its calls are many.
[[gnu::noinline]] inline uint32_t* widen(const int8_t* from, int32_t count, uint32_t* to,
                                         int32_t step) noexcept {
  for (; count >= 16; count -= 16, from += 16) {
    to = widen_four(load_4(from), to, step);
    to = widen_four(load_4(from + 4), to, step);
    to = widen_four(load_4(from + 8), to, step);
    to = widen_four(load_4(from + 12), to, step);
  }
  for (; count >= 4; count -= 4, from += 4) to = widen_four(load_4(from), to, step);
  if (count == 0) return to;
  uint32_t word = 0;
  for (int32_t k = 0; k < count; ++k) {
    word |= static_cast<uint32_t>(static_cast<uint8_t>(from[k])) << 8 * k;
  }
  return widen_four(word, to, step);
}

}  // namespace thimble::runtime
