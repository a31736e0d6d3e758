// SPDX-License-Identifier: Apache-2.0
#include "thimble/target/kernels/tails.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>
#include <vector>

#include "runtime/portable/fixed_point.h"

namespace thimble {
namespace {

using runtime::Tail;

constexpr int32_t kMostConstant = 1 << 20;
constexpr int64_t kMostAdded = 1 << 30;  // beside the high word of a product it fits 32

// One that would do for the clamps; sums if there is none.
Tail tail_for(int32_t zero_point, const ClampRange& clamp) {
  // Whatever is below the zero point is clamped to it: how negative sums round does not matter.
  if (clamp.min == -128 && zero_point == -128 && clamp.max >= 0)
    return clamp.max == 127 ? Tail::kRelu : Tail::kReluHigh;
  if (clamp.min == -128 && clamp.max == 127) return Tail::kSigned;
  if (clamp.min == zero_point && clamp.max == 127) return Tail::kReluFrom;
  // Saturating sums of 8 bits move by at most 127.
  return clamp.min < 0 && clamp.max >= 0 ? Tail::kSignedClamps : Tail::kSums;
}

bool fits_32_bits(int64_t value) {
  return value >= std::numeric_limits<int32_t>::min() &&
         value <= std::numeric_limits<int32_t>::max();
}

// What the reference makes of any of the sums, if it is one number: its zero point not added.
std::optional<int32_t> constant_result(const runtime::Scale& scale, const TailRange& sums) {
  if (scale.multiplier == 0) return 0;
  if (scale.multiplier < 0 || scale.shift > 0 || !fits_32_bits(sums.least) ||
      !fits_32_bits(sums.most))
    return std::nullopt;
  const auto of = [&](int64_t sum) {
    return runtime::requantise(static_cast<int32_t>(sum), scale.multiplier, scale.shift);
  };
  const int32_t least = of(sums.least);  // it never falls
  const bool small = least > -kMostConstant && least < kMostConstant;
  return small && of(sums.most) == least ? std::optional(least) : std::nullopt;
}

bool is_relu(Tail tail) { return tail != Tail::kSigned && tail != Tail::kSignedClamps; }

// Doublings of a sum whose weights can be multiplied. With a ReLU there is one more, so that half
// of the first rounding is a number.
int doublings_for(Tail tail, const runtime::Scale& scale) {
  const int shared = runtime::shared_shift(tail);
  return shared != 0 ? 1 + shared + scale.shift
                     : (is_relu(tail) ? 2 : 1) + std::max(scale.shift, 0);
}

// What is left to shift to the right. The sign counts in twice the sum.
int right_shift(Tail tail, const runtime::Scale& scale, int doublings) {
  return (is_relu(tail) ? doublings - 1 : 0) - scale.shift;
}

// What is added before that: the zero point, and both roundings; with a ReLU that of the product,
// which has bits below, too.
int64_t constant_for(Tail tail, const runtime::Scale& scale, int doublings, int32_t zero_point) {
  const int right = right_shift(tail, scale, doublings);
  const int64_t of_product = is_relu(tail) && scale.shift < 0 ? int64_t{1} << (doublings - 2) : 0;
  return zero_point * (int64_t{1} << right) + (int64_t{1} << (right - 1)) + of_product;
}

/// How all channels of a layer are requantised.
struct Layer {
  Tail tail;
  int32_t zero_point;  ///< that is added
  std::optional<int> held;
  int most_doublings;
};

bool takes(const Layer& layer, const runtime::Scale& scale, const TailRange& sums) {
  const auto& [tail, zero_point, held, most_doublings] = layer;
  if (constant_result(scale, sums)) return true;
  // Without a shift there is no rounding that the sign could be for.
  if (!is_relu(tail) && scale.shift >= 0) return false;
  const int shared = runtime::shared_shift(tail);
  const int doublings = held.value_or(doublings_for(tail, scale));
  if (scale.multiplier < 0 || doublings > most_doublings) return false;
  if (shared != 0 && (scale.shift > 0 || doublings < 2)) return false;
  const int right = right_shift(tail, scale, doublings);
  if (shared != 0 ? right != shared : right < 1 || right > 30) return false;
  if (std::abs(constant_for(tail, scale, doublings, zero_point)) > kMostAdded) return false;
  return std::max(std::abs(sums.least), std::abs(sums.most)) <=
         std::numeric_limits<int32_t>::max() >> doublings;
}

TailConstants constants(const Layer& layer, const runtime::Scale& scale, const TailRange& sums) {
  const Tail tail = layer.tail;
  const int32_t zero_point = layer.zero_point;
  const std::optional<int> held = layer.held;
  if (tail == Tail::kSums) return {scale.multiplier, 0, scale.shift, held.value_or(0)};
  const int shared = runtime::shared_shift(tail);
  if (const std::optional<int32_t> result = constant_result(scale, sums)) {
    const int shift = shared != 0 ? shared : 1;  // at least one, for the sign
    const int32_t half = 1 << (shift - 1);
    return {.multiplier = 0,
            .constant = (*result + zero_point) * (1 << shift) + half,
            .shift = shift,
            .doublings = held.value_or(0)};
  }
  const int doublings = held.value_or(doublings_for(tail, scale));
  return {.multiplier = scale.multiplier,
          .constant = static_cast<int32_t>(constant_for(tail, scale, doublings, zero_point)),
          .shift = right_shift(tail, scale, doublings),
          .doublings = doublings};
}

// Float scales: one that would do for the clamps, and for the sums. The product is a number of 32
// bits with the zero point added.
Tail float_tail(std::span<const runtime::Scale> scales, std::span<const TailRange> sums,
                const ClampRange& clamp, int held) {
  constexpr double kMost = 1 << 30, kLeast = 0x1p-100;
  for (size_t o = 0; o < scales.size(); ++o) {
    const auto scale = static_cast<double>(std::bit_cast<float>(scales[o].multiplier));
    const int64_t largest = std::max(std::abs(sums[o].least), std::abs(sums[o].most));
    if (largest > std::numeric_limits<int32_t>::max() >> held || scale < kLeast ||
        static_cast<double>(largest) * scale > kMost)
      return Tail::kSums;
  }
  if (clamp.min == -128 && clamp.max == 127) return Tail::kToEven;
  return clamp.min < 0 && clamp.max >= 0 ? Tail::kToEvenClamps : Tail::kSums;
}

Tails float_tails(std::span<const runtime::Scale> scales, Tail tail, int held) {
  Tails result{.tail = tail, .channels = {}};
  for (const runtime::Scale& scale : scales) {
    const float real = std::ldexp(std::bit_cast<float>(scale.multiplier), -held);
    result.channels.push_back(
        {.multiplier = tail == Tail::kSums ? scale.multiplier : std::bit_cast<int32_t>(real),
         .constant = 0,
         .shift = runtime::kFloatShift,
         .doublings = held});
  }
  return result;
}

// In the order of their instructions.
std::vector<Tail> tails_for(int32_t zero_point, const ClampRange& clamp) {
  const Tail exact = tail_for(zero_point, clamp);
  if (exact == Tail::kSums) return {};
  // The zero point may be too much beside a large shift.
  if (exact == Tail::kRelu) return {Tail::kReluBy11, Tail::kReluBy14, Tail::kRelu, Tail::kReluFrom};
  return {exact};
}

}  // namespace

Tails tails_of(std::span<const runtime::Scale> scales, std::span<const TailRange> sums,
               int32_t output_zero_point, const ClampRange& clamp, std::optional<int> held,
               int most_doublings) {
  if (!scales.empty() && scales.front().shift == runtime::kFloatShift) {
    const int times = held.value_or(0);
    return float_tails(scales, float_tail(scales, sums, clamp, times), times);
  }
  const auto takes_all = [&](const Layer& layer) {
    for (size_t o = 0; o < scales.size(); ++o) {
      if (!takes(layer, scales[o], sums[o])) return false;
    }
    return true;
  };
  Layer layer{Tail::kSums, output_zero_point, held, most_doublings};
  for (const Tail tail : tails_for(output_zero_point, clamp)) {
    const Layer with{tail, tail == Tail::kReluFrom ? 0 : output_zero_point, held, most_doublings};
    if (!takes_all(with)) continue;
    layer = with;
    break;
  }
  Tails result{.tail = layer.tail, .channels = {}};
  for (size_t o = 0; o < scales.size(); ++o)
    result.channels.push_back(constants(layer, scales[o], sums[o]));
  return result;
}

}  // namespace thimble
