// SPDX-License-Identifier: Apache-2.0
// A group whose outer loop is executed flat: each tile is written down, and each value has a buffer
// per tile, freed by itself (MoteS, section 4.4). What reads across a border between blocks reads
// from a window that its rows are copied into first.
//
//   conv 3x3 -> s -> conv 3x3 -> d, 8 rows of d in two blocks       s.0 s.1 have 4 rows each
//
//     s.0   s.1   join s rows [0, 5) of s.0 and s.1   d.0   join s rows [3, 8)   d.1
#pragma once

#include "thimble/plan/derived.h"

namespace thimble {

/// Fills in `derived.flat`. derived: with regions, at least one value has Border::kBlocks in loop 0
/// and none in others. False where a value rolls or is tiled twice along the axis of that loop,
/// something streams, or sums would have to be joined.
[[nodiscard]] bool write_blocks(const Dataflow& dataflow, Derived& derived);

}  // namespace thimble
