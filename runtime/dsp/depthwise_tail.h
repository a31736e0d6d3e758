// SPDX-License-Identifier: Apache-2.0
// From the sum of a depthwise convolution to int8, exactly as portable/fixed_point.h does, in two
// to six instructions. Which of them holds for a layer is for the compiler to prove
// (thimble/target/kernels/depthwise/depthwise_dsp.h). Sums come times 2^k, folded into their
// constants.
//
//   relu      y = (sum m + (c << 32)) >> (32 + 11), saturated: the result is at least -128, the
//             zero point, so how ties below it round does not matter. k = 12 - shift of the channel
//   shifted   the same with a shift per channel (k = 1): the product is rounded first
//   clamped   any zero point and clamp, k = 1: ties below zero round away from it
//   to even   float scales, any zero point and clamp, k = 0
#pragma once

#include <stdint.h>

#include "../portable/fixed_point.h"
#include "simd32.h"

namespace thimble::runtime {

/// Clamps to least + min(x, most), x unsigned: UQADD8 with `add` and an addition of `less`.
struct DepthwiseClamp {
  int32_t add;   ///< 255 - (most - least)
  int32_t less;  ///< most - 255
};

constexpr int32_t kReluShift = 11;

/// c of a shift: half, and the zero point.
constexpr int32_t half_and_zero(int32_t right, int32_t zero_point) noexcept {
  return (1 << (right - 1)) + zero_point * (1 << right);
}

/// constants: multiplier, c.
struct ReluTail {
  static constexpr int32_t kConstants = 2;
  /// k of a channel that shifts to the right.
  static constexpr int32_t doublings(int32_t right) noexcept { return kReluShift + 1 - right; }
  /// from: the zero point less the lower clamp, if that is added later.
  static void constants(int32_t right, int32_t multiplier, int32_t from, int32_t* to) noexcept {
    to[0] = multiplier;
    to[1] = (2 * half_and_zero(right, from) + 1) * (1 << (kReluShift - 1 - right));
  }
  static int8_t finish(int32_t sum, const int32_t* constants, const DepthwiseClamp&) noexcept {
    const auto high = static_cast<int32_t>(static_cast<int64_t>(sum) * constants[0] >> 32);
    const int32_t y = (high + constants[1]) >> kReluShift;
    return static_cast<int8_t>(limit(y, -128, 127));
  }
};

/// constants: shift, multiplier, c.
struct ShiftedTail {
  static constexpr int32_t kConstants = 3;
  static constexpr int32_t doublings(int32_t) noexcept { return 1; }
  static void constants(int32_t right, int32_t multiplier, int32_t from, int32_t* to) noexcept {
    to[0] = right;
    to[1] = multiplier;
    to[2] = half_and_zero(right, from);
  }
  static int8_t finish(int32_t sum, const int32_t* constants, const DepthwiseClamp&) noexcept {
    const int32_t y = add_rounded_high(sum, constants[1], constants[2]) >> constants[0];
    return static_cast<int8_t>(limit(y, -128, 127));
  }
};

/// constants: shift, multiplier, c.
struct ClampedTail {
  static constexpr int32_t kConstants = 3;
  static constexpr int32_t doublings(int32_t) noexcept { return 1; }
  static void constants(int32_t right, int32_t multiplier, int32_t from, int32_t* to) noexcept {
    ShiftedTail::constants(right, multiplier, from, to);
  }
  static int8_t finish(int32_t sum, const int32_t* constants,
                       const DepthwiseClamp& clamp) noexcept {
    const int32_t c = constants[2] + (sum >> 31);
    const int32_t y = add_rounded_high(sum, constants[1], c) >> constants[0];
    return static_cast<int8_t>(limit(limit(y, 0, 255) + clamp.add, 0, 255) + clamp.less);
  }
};

/// constants: kFloatShift, a float32's bits, the zero point less the lower clamp.
struct ToEvenTail {
  static constexpr int32_t kConstants = 3;
  static constexpr int32_t doublings(int32_t) noexcept { return 0; }
  static void constants(int32_t right, int32_t scale, int32_t from, int32_t* to) noexcept {
    to[0] = right;
    to[1] = scale;
    to[2] = from;
  }
  static int8_t finish(int32_t sum, const int32_t* constants,
                       const DepthwiseClamp& clamp) noexcept {
    const int32_t y = times_float(sum, constants[1]) + constants[2];
    return static_cast<int8_t>(limit(limit(y, 0, 255) + clamp.add, 0, 255) + clamp.less);
  }
};

}  // namespace thimble::runtime
