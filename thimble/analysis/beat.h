// SPDX-License-Identifier: Apache-2.0
// Which positions of an axis are computed in which tile of a loop. Tiles count from 0.
#pragma once

#include "thimble/model/division.h"
#include "thimble/regions/access_map.h"
#include "thimble/schedule/schedule.h"

namespace thimble {

/// At tile i, positions [begin(i), end(i)), neither cut to 0 nor to the extent:
///   end(i) = floor((rows * i + phase) / tiles)
///   begin(i) = floor((rows * (i - 1) + phase - reach_back) / tiles)    end(i - 1) if that is 0
struct Beat {
  int64_t rows = 1, tiles = 1;  ///< so many positions for so many tiles
  int64_t phase = 0;
  /// In positions / tiles: how far each tile reaches back behind the end of the last one, which
  /// computes these positions once more; less than 0: so many are left out.
  int64_t reach_back = 0;

  /// Positions below this are complete after tile i.
  [[nodiscard]] int64_t end(int64_t tile) const { return floor_div(rows * tile + phase, tiles); }
  [[nodiscard]] int64_t begin(int64_t tile) const {
    return floor_div(rows * (tile - 1) + phase - reach_back, tiles);
  }
  [[nodiscard]] IntervalExpr interval(LoopId loop) const;
  bool operator==(const Beat&) const = default;
};

/// The shortest axis c i + b .. + extent that holds what each tile computes. c is at least 1: then
/// nothing is carried from one tile to the next.
struct TileAxis {
  int64_t extent = 1;
  IndexExpr origin;
};
[[nodiscard]] TileAxis shortest(const Beat& beat, int64_t whole, int64_t tiles, LoopId loop);

/// The first position of the operand that position `row` of the output reads; may lie before 0.
[[nodiscard]] inline int64_t first_read(const Affine& pace, int64_t row) {
  return floor_div(row * pace.num + pace.lo, pace.den);
}
/// The position of the operand behind the last that positions of the output below `row` read.
[[nodiscard]] inline int64_t end_of_reads(const Affine& pace, int64_t row) {
  return floor_div((row - 1) * pace.num + pace.hi, pace.den) + 1;
}

}  // namespace thimble
