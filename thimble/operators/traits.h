// SPDX-License-Identifier: Apache-2.0
// What an operator promises beyond its access map, to those who cut networks down.
#pragma once

#include <optional>

#include "thimble/model/attributes.h"

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

inline constexpr Traits kOfEachValue{.of_each_value = true, .by_channel = true, .window = Window{}};

}  // namespace thimble
