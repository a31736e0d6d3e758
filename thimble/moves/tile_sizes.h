// SPDX-License-Identifier: Apache-2.0
// Positions of the last value at a time that searches try: of rolled groups, of parts and of
// sweeps.
#pragma once

#include <vector>

#include "thimble/moves/sweep_clocks.h"

namespace thimble {

/// Rows or columns of rolled groups: 1, 2, 4, 8.
[[nodiscard]] const std::vector<int64_t>& rolled_tiles();
/// Parts of so many positions, no more than `most_parts`: of few parts all, of many ever fewer; one
/// position at last. The fewest parts first.
[[nodiscard]] std::vector<int64_t> part_sizes(int64_t positions, int64_t most_parts);
/// How many of the tiles of sweeps.
enum class SweepTiles : uint8_t { kFew, kLikely, kAll };
[[nodiscard]] std::vector<SweepTile> sweep_tiles(SweepTiles which);
/// Columns outside, rows within: for wide images.
[[nodiscard]] std::vector<SweepTile> turned_tiles();

}  // namespace thimble
