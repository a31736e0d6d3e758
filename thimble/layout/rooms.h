// SPDX-License-Identifier: Apache-2.0
// Fewer blocks where every section is full: what must lie in one rectangle becomes one block.
//
//   +------+-----+------+     At a boundary the blocks that end make room for just those that
//   |      |  b  |      |     begin: an exchange. If no smaller exchange is within it, its bytes
//   |  a   +---+-+  e   |     are contiguous (of a gap between them, either side would be one).
//   |      | c |d|      |     So b and c lie where a lay; at the next boundary d follows c, and b
//   +------+---+-+------+     and d end together: a room. It is packed for itself.
//
// One block that follows another is joined to it. Then larger rooms have fewer blocks.
#pragma once

#include <cstdint>
#include <vector>

#include "thimble/layout/blocks.h"
#include "thimble/layout/packing_search.h"

namespace thimble::layout {

/// Sections 0 to `sections` of equal bytes each. Exchanges of a few blocks within a larger one are
/// taken for true that are improbable as chance: `doubt` (above 0) is how many such one would see
/// by chance, at most, were sizes random multiples of `quantum`. So rooms are likely, not proved.
[[nodiscard]] std::vector<Block> merge_rooms(std::vector<Block> blocks, int sections,
                                             int64_t quantum, double doubt, SearchBudget& budget);

}  // namespace thimble::layout
