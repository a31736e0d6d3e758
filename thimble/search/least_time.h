// SPDX-License-Identifier: Apache-2.0
// One way for each of several things, such that they take the least time together within a limit on
// bytes that add up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace thimble {

struct TimedBytes {
  int64_t bytes = 0;
  double time = 0;
};

/// The index of a choice for each; those of the fewest bytes where no choice is within the limit.
/// Exact until there are too many choices that differ.
[[nodiscard]] std::vector<size_t> least_time_within(
    const std::vector<std::vector<TimedBytes>>& choices, int64_t limit_bytes);

}  // namespace thimble
