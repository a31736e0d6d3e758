// SPDX-License-Identifier: Apache-2.0
// What kernels of int16 in words have in common: from sums to elements, and pixels that look alike.
#pragma once

#include "../portable/fixed_point.h"
#include "../portable/window.h"
#include "thimble_runtime/kernels.h"
#include "thimble_runtime/uses.h"

namespace thimble::runtime {

constexpr int32_t kWordsTail = 4;  ///< words of a channel behind the weights of its group

/// What a channel's constants begin with, and the products of inputs and weights added to it: times
/// its multiplier where it is rounded once, else as they are. Wraps as the portable kernels do.
inline uint64_t words_bias(const int32_t* constants) noexcept {
  return uint64_t{static_cast<uint32_t>(constants[1])} << 32 | static_cast<uint32_t>(constants[0]);
}
inline uint64_t add_words_sum(const Conv2DWordsParams& p, const int32_t* constants, uint64_t total,
                              int32_t sum) noexcept {
  const int32_t factor = p.rounds_once != 0 ? constants[2] : 1;
  return total + static_cast<uint64_t>(static_cast<int64_t>(sum) * factor);
}
/// The element that a total stands for.
inline int16_t words_element(const Conv2DWordsParams& p, const int32_t* constants,
                             uint64_t total) noexcept {
  const int32_t scaled = p.rounds_once != 0
                             ? static_cast<int32_t>(total >> 32) >> constants[3]
                             : requantise(static_cast<int32_t>(total), constants[2], constants[3]);
  return static_cast<int16_t>(limit(scaled, p.clamp_min, p.clamp_max));
}

/// Elements of `channels` channels, `step` apart from `to` on, of complete sums.
inline void finish_group(const Conv2DWordsParams& p, const int32_t* constants, const int32_t* sums,
                         int32_t channels, int16_t* to, int32_t step) noexcept {
  const int32_t low = p.clamp_min, high = p.clamp_max;
  if (p.rounds_once == 0) {
    for (; channels > 0; --channels, ++sums, constants += kWordsTail, to += step) {
      const uint64_t total = words_bias(constants) + static_cast<uint64_t>(int64_t{*sums});
      *to = words_element(p, constants, total);
    }
    return;
  }
  for (; channels > 0; --channels, ++sums, constants += kWordsTail, to += step) {
    const int64_t total = static_cast<int64_t>(
        words_bias(constants) + static_cast<uint64_t>(int64_t{*sums} * constants[2]));
    *to = static_cast<int16_t>(limit(static_cast<int32_t>(total >> 32) >> constants[3], low, high));
  }
}

/// Output columns that meet no padding, of an input that is no ring: the inputs of each are `step`
/// elements behind those of the column before.
struct EvenColumns {
  int32_t begin, end, step;

  bool goes_on(int32_t column) const noexcept { return column > begin && column < end; }
};
inline EvenColumns even_columns(const Window2D& w, const View& x, const Region& region) noexcept {
  const Outputs full = full_columns(w, region);
  const bool straight = !THIMBLE_USES_RINGS || x.modulus == 0;
  return {full.begin, straight ? full.end : full.begin, w.stride_w * x.stride[2]};
}

}  // namespace thimble::runtime
