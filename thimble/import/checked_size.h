// SPDX-License-Identifier: Apache-2.0
// The size of a tensor whose shape comes from a file, and may be anything.
#pragma once

#include <algorithm>
#include <limits>
#include <optional>

#include "thimble/model/graph.h"

namespace thimble {

/// Bytes of a tensor with extents of at least 0; nothing if they are more than `limit_bytes`.
/// Beside a 0 the other extents are held to 2^31 - 1 bytes, so that elements() cannot overflow in
/// any order.
[[nodiscard]] inline std::optional<int64_t> checked_size_bytes(const Shape& shape, DType type,
                                                               int64_t limit_bytes) {
  const bool empty = std::ranges::find(shape, 0) != shape.end();
  const int64_t limit = empty ? std::numeric_limits<int32_t>::max() : limit_bytes;
  int64_t bytes = size_bytes(type);
  for (int64_t extent : shape) {
    if (extent > limit / bytes) return std::nullopt;
    if (extent != 0) bytes *= extent;
  }
  return empty ? 0 : bytes;
}

}  // namespace thimble
