// SPDX-License-Identifier: Apache-2.0
// Products of weights of 4 bits, two to a byte, the lower half first (convolve.h has those of 8).
#pragma once

#include "quad.h"
#include "thimble_runtime/conv_2d.h"

namespace thimble::runtime {

/// A place among weights: number `at` of those that begin at `bytes`.
struct Nibbles {
  const int8_t* bytes;
  int32_t at;

  Nibbles& operator+=(int32_t weights) noexcept {
    at += weights;
    return *this;
  }
};

inline Nibbles weights_at(const Conv2DParams& p, int32_t at, Nibbles) noexcept {
  return {p.weights, at};
}

/// The first weight of a byte, and the second.
inline int32_t lower_nibble(int32_t byte) noexcept {
  return static_cast<int32_t>(static_cast<uint32_t>(byte) << 28) >> 28;
}
inline int32_t upper_nibble(int32_t byte) noexcept { return byte >> 4; }

/// As add_products of convolve.h; pitch is even. Every byte that is loaded serves two inputs.
[[gnu::noinline]] inline void add_products(Quad& sums, const int8_t* x, int32_t step, Nibbles w,
                                           int32_t pitch, int32_t count) noexcept {
  const int8_t* wa = w.bytes + w.at / 2;
  const int8_t* wb = wa + pitch / 2;
  const int8_t* wc = wb + pitch / 2;
  const int8_t* wd = wc + pitch / 2;
  Quad s = sums;
  if (w.at % 2 != 0 && count > 0) {
    const int32_t value = *x;
    s.sum[0] += value * upper_nibble(*wa++);
    s.sum[1] += value * upper_nibble(*wb++);
    s.sum[2] += value * upper_nibble(*wc++);
    s.sum[3] += value * upper_nibble(*wd++);
    x += step;
    --count;
  }
  const auto add_byte = [](int32_t& sum, int32_t byte, int32_t first, int32_t second) {
    sum += first * lower_nibble(byte);
    sum += second * upper_nibble(byte);
  };
  for (const int8_t* const end = wa + count / 2; wa != end; x += 2 * step) {
    const int32_t first = *x;
    const int32_t second = x[step];
    add_byte(s.sum[0], *wa++, first, second);
    add_byte(s.sum[1], *wb++, first, second);
    add_byte(s.sum[2], *wc++, first, second);
    add_byte(s.sum[3], *wd++, first, second);
  }
  if (count % 2 != 0) {
    const int32_t value = *x;
    s.sum[0] += value * lower_nibble(*wa);
    s.sum[1] += value * lower_nibble(*wb);
    s.sum[2] += value * lower_nibble(*wc);
    s.sum[3] += value * lower_nibble(*wd);
  }
  sums = s;
}

inline void add_products(int32_t& sum, const int8_t* x, int32_t step, Nibbles w, int32_t,
                         int32_t count) noexcept {
  int32_t s = sum;
  for (int32_t k = w.at; count > 0; --count, ++k, x += step) {
    const int32_t byte = w.bytes[k / 2];
    s += *x * (k % 2 == 0 ? lower_nibble(byte) : upper_nibble(byte));
  }
  sum = s;
}

}  // namespace thimble::runtime
