// SPDX-License-Identifier: Apache-2.0
// What follows from a group: the buffers of the values made in it, and what each call computes in
// terms of the loops' counters. Nobody else has a model of bytes.
//
// A buffer's axes, along the loops that enclose both the maker of a value and all of its readers:
//   slice, recompute as long as the longest tile; its origin follows the counter: new in each tile
//   blocks          the same, full along the loops inside
//   roll            a ring of the positions still needed; full along the loops inside, except
//     rows and columns both rolled, one row a tile: k - 1 rows and k pixels, one ring of pixels
//     the same, several rows a tile (a sweep): the rows that successive sweeps share, over the
//     whole width, and a window of all rows of a tile, a ring of a few columns; copies between the
//     two
// and along all others, full.
#pragma once

#include <cstdint>
#include <optional>

#include "thimble/plan/derived.h"

namespace thimble {

/// Whether regions are wanted, which only steps need, not bytes.
enum class Regions : uint8_t { kNone, kAll };

/// Nothing where a loop has no clock, two loops tile one axis, kernels cannot be cut so, or a value
/// has no buffer of the forms above.
[[nodiscard]] std::optional<Derived> derive(const Dataflow& dataflow, const Group& group,
                                            Regions regions = Regions::kAll);

}  // namespace thimble
