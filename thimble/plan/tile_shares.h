// SPDX-License-Identifier: Apache-2.0
// What each tile of a group's outer loop has of a step: rows that stay make the first one larger
// and the last one smaller.
#pragma once

#include <vector>

#include "thimble/plan/derived.h"

namespace thimble {

/// Per tile, of the elements that the step makes: shares of 1. derived: with regions. extents: of
/// the value that it makes.
[[nodiscard]] std::vector<double> tile_shares(const Derived& derived, size_t step,
                                              const Shape& extents);

/// How often a step makes each element, on average: more than once if tiles make what others did.
/// It stands in the outer loop alone.
[[nodiscard]] double times_made(const Derived& derived, size_t step, const Shape& extents);

/// What a step waits for transfers of which each tile has as many, if each goes on beside its
/// tile's share of what the step computes alone. Cycles, of all tiles.
[[nodiscard]] double wait_beside(const std::vector<double>& shares, double computes,
                                 double transfers);

/// The tiles of a loop in which a step makes anything: rows that roll leave the first ones of what
/// reads them empty, and the last ones of what they come from.
struct ComputingTiles {
  int loop = -1;  ///< in Derived::loops; -1: it makes something in every tile
  Interval tiles;
};
/// Finds the outermost loop around a step, of less than that depth, with tiles in which the step
/// makes nothing; the loop that tiles its channels aside. derived: not flat.
[[nodiscard]] ComputingTiles computing_tiles(const Derived& derived, const RegionExpr& region,
                                             const Shape& extents, int depth);

}  // namespace thimble
