// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace thimble {

/// Quantised values from `low` to `high`, both included.
struct ValueRange {
  int32_t low = 0, high = 0;

  [[nodiscard]] bool is_constant() const { return low == high; }
  bool operator==(const ValueRange&) const = default;
};

/// One per index of a tensor's last axis (one for a scalar), over all positions of the other axes.
/// Empty for types without quantised values: float32, bool, int64.
using ValueRanges = std::vector<ValueRange>;

}  // namespace thimble
