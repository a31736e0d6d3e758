// SPDX-License-Identifier: Apache-2.0
// Blocks for the bytes that no buffer can use, so that every section is full and the inference from
// full sections applies everywhere.
//
//     bytes unused
//     3 |     +---+           Each change is told as an end of some blocks and a begin of at most
//     2 | +---+   |           one: here that of 2 lasts from first to last and one of 1 stands in
//     1 | |       +---+       the middle; or one of 2, one of 3 and one of 1 follow each other.
//       +-+-----------+--
#pragma once

#include <cstdint>
#include <vector>

#include "thimble/layout/blocks.h"

namespace thimble::layout {

/// unused: bytes per section. As many blocks as can be begin and end with a change of just their
/// size. choices: one per change (it is resized), what decides between ways as good; 0 at first.
/// work: counted down.
[[nodiscard]] std::vector<Block> padding(const std::vector<int64_t>& unused,
                                         std::vector<uint32_t>& choices, int64_t& work);

}  // namespace thimble::layout
