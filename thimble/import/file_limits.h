// SPDX-License-Identifier: Apache-2.0
// What files of every format may hold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

namespace thimble {

inline constexpr int64_t kMaxFileBytes = int64_t{1} << 32;
inline constexpr size_t kMaxRank = 8;
inline constexpr int64_t kMaxTensorBytes = std::numeric_limits<int32_t>::max();

}  // namespace thimble
