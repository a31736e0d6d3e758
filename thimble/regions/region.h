// SPDX-License-Identifier: Apache-2.0
// Half-open boxes of tensor indices: the one idea that every technique shares (docs/hacking.md).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "thimble/model/graph.h"

namespace thimble {

struct Interval {
  int64_t begin = 0, end = 0;  ///< [begin, end); empty if end <= begin

  [[nodiscard]] int64_t size() const { return end > begin ? end - begin : 0; }
  [[nodiscard]] bool empty() const { return end <= begin; }
  bool operator==(const Interval&) const = default;
};

/// One interval per axis. Rank 0 (a scalar) holds one element.
using Region = std::vector<Interval>;

[[nodiscard]] Region whole(const Shape& shape);
[[nodiscard]] int64_t elements(const Region& region);
[[nodiscard]] bool empty(const Region& region);
[[nodiscard]] bool contains(const Region& outer, const Region& inner);  ///< true if inner is empty
[[nodiscard]] Region intersect(const Region& a, const Region& b);
[[nodiscard]] Region clip(const Region& region, const Shape& shape);
/// Smallest box around both; an empty one adds nothing.
[[nodiscard]] Region hull(const Region& a, const Region& b);
/// "[0,1) [4,8) [0,48) [0,16)"
[[nodiscard]] std::string to_string(const Region& region);

}  // namespace thimble
