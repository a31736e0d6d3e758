// SPDX-License-Identifier: Apache-2.0
// How a network that takes a window of time is asked for decisions (rewrites/sliding_window.h).
#pragma once

#include <cstdint>
#include <optional>

namespace thimble {

struct Hop {
  int64_t rows = 0;  ///< new ones for each inference; 0: there is no window
  /// Along which time goes; nothing: the first of the input that has an extent above 1.
  std::optional<int64_t> axis = {};

  bool operator==(const Hop&) const = default;
};

}  // namespace thimble
