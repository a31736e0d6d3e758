// SPDX-License-Identifier: Apache-2.0
// What an operator promises beyond its access map, to those who cut networks down.
#pragma once

#include <optional>

#include "thimble/model/attributes.h"
#include "thimble/regions/access_map.h"

namespace thimble {

struct Traits {
  /// A value of the output is a function of that at the same index of the one operand.
  bool of_each_value = false;
  /// Channels (indices of the last axis) can be taken out of operands and output alike, wherever
  /// the access map keeps them apart: each is computed alone, and as it was with the others.
  bool by_channel = false;
  /// Weights and bias are what the second and third operand are, sums what is made of them.
  bool weighted = false;
  /// The window in which a pixel of an image [N,H,W,C] reads the first operand, if it reads others
  /// the same wherever it lies.
  std::optional<Window> window = {};
};

/// Whether an output's channel reads the same channel of the operand alone.
[[nodiscard]] bool keeps_channels_apart(const InputMap& map, const Shape& in, const Shape& out);

inline constexpr Traits kOfEachValue{.of_each_value = true, .by_channel = true, .window = Window{}};

}  // namespace thimble
