// SPDX-License-Identifier: Apache-2.0
#include "thimble/target/kernels/tails.h"

#include <algorithm>
#include <limits>

namespace thimble {
namespace {

using runtime::Tail;

constexpr int kMostLeft = 7;    // -128 * 2^8 fits 16 bits
constexpr int kMostRight = 22;  // a zero point times 2^22 beside a product fits 32

// One that would do for the clamps; sums if there is none.
Tail tail_for(int32_t zero_point, const ClampRange& clamp) {
  // Whatever is below the zero point is clamped to it: how negative sums round does not matter.
  if (clamp.min == -128 && zero_point == -128 && clamp.max >= 0)
    return clamp.max == 127 ? Tail::kRelu : Tail::kReluHigh;
  if (clamp.min == -128 && clamp.max == 127) return Tail::kSigned;
  // Saturating sums of 8 bits move by at most 127.
  return clamp.min < 0 && clamp.max >= 0 ? Tail::kSignedClamps : Tail::kSums;
}

bool takes(Tail tail, const runtime::Scale& scale, int64_t largest) {
  const bool relu = tail == Tail::kRelu || tail == Tail::kReluHigh;
  // Without a shift there is no rounding that the sign could be for.
  if (!relu && scale.shift >= 0 && scale.multiplier != 0) return false;
  if (scale.multiplier < 0 || scale.shift > kMostLeft || scale.shift < -kMostRight) return false;
  const int doublings = 1 + std::max(scale.shift, 0);
  return largest <= std::numeric_limits<int32_t>::max() >> doublings;
}

TailConstants constants(const runtime::Scale& scale, int32_t zero_point) {
  const int right = std::max(-scale.shift, 0);
  const int32_t half = right > 0 ? 1 << (right - 1) : 0;
  return {.multiplier = scale.multiplier,
          .constant = half + zero_point * (1 << right),
          .shift = right,
          .doublings = 1 + std::max(scale.shift, 0)};
}

}  // namespace

Tails tails_of(std::span<const runtime::Scale> scales, std::span<const int64_t> largest,
               int32_t output_zero_point, const ClampRange& clamp) {
  Tails result{.tail = tail_for(output_zero_point, clamp), .channels = {}};
  for (size_t o = 0; o < scales.size() && result.tail != Tail::kSums; ++o) {
    if (!takes(result.tail, scales[o], largest[o])) result.tail = Tail::kSums;
  }
  for (const runtime::Scale& scale : scales) {
    result.channels.push_back(result.tail == Tail::kSums
                                  ? TailConstants{scale.multiplier, 0, scale.shift, 0}
                                  : constants(scale, output_zero_point));
  }
  return result;
}

}  // namespace thimble
