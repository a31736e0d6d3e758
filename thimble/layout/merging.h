// SPDX-License-Identifier: Apache-2.0
// Fewer blocks by guessing: pairs of blocks that make a rectangle become one.
//
//   +-----+      one on top of the other, of the same life;
//   |  b  |          +---+-----+
//   +-----+          | a |  b  |   or one after the other, of the same bytes.
//   |  a  |          +---+-----+
//   +-----+
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "thimble/layout/blocks.h"

namespace thimble::layout {

/// Until at most `most` blocks are left, or no pair is. Small ones first (of rectangles that were
/// cut in two again and again, the last cuts), but for chance. What is merged may have no layout
/// although the blocks have one. work: counted down.
[[nodiscard]] std::vector<Block> merge_by_chance(std::vector<Block> blocks, size_t most,
                                                 std::mt19937& random, int64_t& work);

}  // namespace thimble::layout
