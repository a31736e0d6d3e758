// SPDX-License-Identifier: Apache-2.0
// Requantisation in two to five instructions (docs/kernels.md): sums are held times a power of 2,
// so that the high word of their product with the multiplier is the reference's doubling high
// product, or with bits below; what is added to it there makes its rounding and its zero point.
// Private to thimble/target/kernels.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "thimble/target/kernels/quantize.h"

namespace thimble {

/// Requantisation constants of one output channel.
struct TailConstants {
  int32_t multiplier = 0;
  int32_t constant = 0;
  /// To the right; kSums: as the reference has it, negative to the right; or kFloatShift.
  int32_t shift = 0;
  int32_t doublings = 0;  ///< the sum is held times 2^doublings
  bool operator==(const TailConstants&) const = default;
};

struct Tails {
  runtime::Tail tail = runtime::Tail::kSums;
  std::vector<TailConstants> channels;
};

/// What inputs of 8 bits can make of a channel's sum.
struct TailRange {
  int64_t least = 0, most = 0;
};
/// -128 * 2^8 fits 16 bits; of weights with a zero point 255 * 2^7.
constexpr int kMostDoublings = 8;

/// The cheapest that is exact for every channel, whatever the inputs. held: all sums are times
/// 2^held (and fit so); else each channel has its own, at most most_doublings: weights times that
/// fit 16 bits.
[[nodiscard]] Tails tails_of(std::span<const runtime::Scale> scales,
                             std::span<const TailRange> sums, int32_t output_zero_point,
                             const ClampRange& clamp, std::optional<int> held = std::nullopt,
                             int most_doublings = kMostDoublings);

}  // namespace thimble
