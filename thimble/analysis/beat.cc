// SPDX-License-Identifier: Apache-2.0
#include "thimble/analysis/beat.h"

#include <algorithm>
#include <optional>

namespace thimble {

IntervalExpr Beat::interval(LoopId loop) const {
  IndexExpr first = index(loop, rows, phase - rows - reach_back), last = index(loop, rows, phase);
  first.divisor = last.divisor = tiles;
  return {first, last};
}

TileAxis shortest(const Beat& beat, int64_t whole, int64_t tiles, LoopId loop) {
  const bool slices = beat.tiles == 1 && beat.reach_back == 0 && beat.begin(0) == 0;
  if (slices) return {std::min(beat.rows, whole), index(loop, beat.rows)};
  std::vector<Interval> parts;                                                   // by tile
  std::vector<int64_t> slopes = {std::max<int64_t>(beat.rows / beat.tiles, 1)};  // wins ties
  for (int64_t i = 0; i < tiles; ++i) {
    const Interval part = clip({{beat.begin(i), beat.end(i)}}, {whole})[0];
    if (!parts.empty() && part.begin - parts.back().begin > 1 &&
        std::ranges::find(slopes, part.begin - parts.back().begin) == slopes.end())
      slopes.push_back(part.begin - parts.back().begin);
    parts.push_back(part);
  }
  std::optional<TileAxis> best;
  for (const int64_t slope : slopes) {
    Interval held{whole, -slope * tiles};
    for (int64_t i = 0; i < tiles; ++i) {
      const Interval& part = parts[static_cast<size_t>(i)];
      if (part.empty()) continue;
      held.begin = std::min(held.begin, part.begin - slope * i);
      held.end = std::max(held.end, part.end - slope * i);
    }
    const int64_t extent = std::max<int64_t>(held.size(), 1);
    if (!best || extent < best->extent) best = TileAxis{extent, index(loop, slope, held.begin)};
  }
  return *best;
}

}  // namespace thimble
