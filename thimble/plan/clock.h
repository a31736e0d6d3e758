// SPDX-License-Identifier: Apache-2.0
// The clock of one tile loop: which positions of each value every tile computes, from the access
// maps alone. Loops of a tree are derived one by one, as regions are separable by axis.
//
// A value with a positions for every b tiles is complete up to end(i) = floor((a i + phase) / b)
// after tile i. Phases are as late as the readers allow: going backwards, a position must be there
// in the tile in which the first position that reads it is computed. What lies outside of a tensor
// is cut off; so nobody needs a prologue, and borders are nothing special. A ring holds the most
// that is produced and still needed.
//
//   conv 3x3 stride 2 -> t -> depthwise 3x3 -> u; t + u -> y      as many tiles as y has rows, and
//   1
//     conv       t row i          from input rows up to 2 i + 1
//     depthwise  u row i - 1      from t rows i - 2 .. i         ring of t: 3 rows
//     add        y row i - 1      from t and u row i - 1         ring of u: 1 row
//
// A value that is computed again (Border::kRecompute) begins in each tile where its readers in that
// tile begin to read, and has the tiles of its readers, none before them to warm up. What is read
// outside of the loop is full, and computed once whatever the loop says.
#pragma once

#include <optional>
#include <vector>

#include "thimble/analysis/beat.h"
#include "thimble/plan/dataflow.h"

namespace thimble {

/// A loop around another that tiles the same axis: strips of columns, say, and in each of them
/// column by column. What a tile of the inner loop computes is cut to the tile of the outer one
/// (nested_tiles.h).
struct OuterTiles {
  int loop = 0;       ///< number in Derived::loops
  int64_t count = 1;  ///< of its tiles
  int64_t inner = 1;  ///< tiles of the inner loop from one of them to the next
  Beat beat;          ///< along the axis
  bool operator==(const OuterTiles&) const = default;
};

/// What one call does in each tile.
struct TiledCall {
  int axis = 0;          ///< of what it makes; if it reduces, of its operand 0
  Beat beat;             ///< along it
  bool reduces = false;  ///< adds the tile's positions of operand 0 to sums of full extent
  Border border = Border::kRoll;
  /// Positions of what it makes that are produced and still needed, at the most; 0: it is read
  /// outside of the loop, and full.
  int64_t held = 0;
  std::optional<OuterTiles> outer = {};
  bool operator==(const TiledCall&) const = default;
};

struct Clock {
  int64_t tiles = 0;
  std::vector<TiledCall> calls;  ///< one per call given
  bool operator==(const Clock&) const = default;
};

/// calls: of the loop's group, in order. Nothing if a value made inside does not follow the loop or
/// is read before it is complete, axes have nothing to do with each other, or a slice would have to
/// be carried from one tile to the next.
[[nodiscard]] std::optional<Clock> clock_of(const Dataflow& dataflow,
                                            const std::vector<InstanceCall>& calls,
                                            const TileLoop& loop);

}  // namespace thimble
