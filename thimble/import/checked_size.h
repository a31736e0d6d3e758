// SPDX-License-Identifier: Apache-2.0
// The size of a tensor whose shape comes from a file, and may be anything.
#pragma once

#include <algorithm>
#include <optional>

#include "thimble/model/graph.h"

namespace thimble {

/// Bytes of a tensor with extents of at least 0; nothing if they are more than `limit_bytes`.
[[nodiscard]] inline std::optional<int64_t> checked_size_bytes(const Shape& shape, DType type,
                                                               int64_t limit_bytes) {
  if (std::ranges::find(shape, 0) != shape.end()) return 0;
  int64_t bytes = size_bytes(type);
  for (int64_t extent : shape) {
    if (extent > limit_bytes / bytes) return std::nullopt;
    bytes *= extent;
  }
  return bytes;
}

}  // namespace thimble
