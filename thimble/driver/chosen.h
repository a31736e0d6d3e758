// SPDX-License-Identifier: Apache-2.0
// Some of many.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace thimble {

/// At most `most` of them (0: all), from all over the set.
[[nodiscard]] inline std::vector<size_t> chosen(size_t count, int64_t most) {
  std::vector<size_t> result;
  const size_t wanted = most <= 0 ? count : std::min(count, static_cast<size_t>(most));
  for (size_t k = 0; k < wanted; ++k) result.push_back(k * count / wanted);
  return result;
}

}  // namespace thimble
