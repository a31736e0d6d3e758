// SPDX-License-Identifier: Apache-2.0
// Values for tensors that a check executes operators on, and how they are compared.
#pragma once

#include <vector>

#include "thimble/reference/bounds.h"

namespace thimble {

/// kEnds: each element the least or the most, by chance.
enum class Draw : uint8_t { kNoise, kEnds, kLeast, kMost };
constexpr Draw kDraws[] = {Draw::kNoise, Draw::kEnds, Draw::kLeast, Draw::kMost};

/// Within the ranges of its channels, or of its type where there are none.
[[nodiscard]] Bytes drawn(const Tensor& tensor, const ValueRanges& ranges, Draw draw,
                          uint64_t seed);

/// The elements of the channels that are kept.
[[nodiscard]] Bytes with_channels(const Bytes& bytes, const Tensor& tensor,
                                  const std::vector<bool>& kept);

/// Bit by bit; floats as numbers, and any NaN is like any other.
[[nodiscard]] bool are_equal(const Bytes& a, const Bytes& b, DType type);

/// Whether all elements lie within the ranges of their channels.
[[nodiscard]] bool are_within(const Bytes& bytes, DType type, const ValueRanges& ranges);

}  // namespace thimble
