// SPDX-License-Identifier: Apache-2.0
// An axis tiled twice, by a loop and by another inside of it. The inner clock is that of the whole
// axis; each tile of the outer loop runs through a part of it, cut to what the outer tile computes.
//
//   conv 3x3 -> t -> conv 3x3 -> u; 16 columns of u in two strips, t again; within, one by one
//     u   strip j, columns [8 j, 8 j + 8)         tile i: 8 j + i - 2
//     t   strip j, columns [8 j - 1, 8 j + 9)     tile i: 8 j + i - 1           i < 10
#pragma once

#include "thimble/plan/derived.h"

namespace thimble {

/// Lays each of the loops (outer ones first), whose clocks are those of whole axes, into the tiles
/// of the one around it that tiles the same axis. From one outer tile to the next it advances by as
/// many tiles of its own as the outer positions take. calls: of the outermost loop; steps: theirs.
/// False if calls of one loop differ in that, an outer tile does not take a whole number of inner
/// ones, or an axis would be tiled thrice.
[[nodiscard]] bool nest_loops(const Dataflow& dataflow, const std::vector<InstanceCall>& calls,
                              std::vector<DerivedLoop>& loops);

/// What a tile of an outer loop computes of an axis of so many positions.
[[nodiscard]] Interval positions(const OuterTiles& outer, int64_t tile, int64_t extent);
/// What the tile computes of an axis of so many positions.
[[nodiscard]] Interval positions(const TiledCall& call, int64_t outer_tile, int64_t tile,
                                 int64_t extent);
/// What the tile computes, in terms of the counters. loop: the inner, or only, one.
[[nodiscard]] IntervalExpr interval(const TiledCall& call, LoopId loop);
/// As shortest() of one loop (analysis/beat.h), for all tiles of both.
[[nodiscard]] TileAxis shortest(const TiledCall& call, int64_t extent, int64_t tiles, LoopId loop);

}  // namespace thimble
