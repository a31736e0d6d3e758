// SPDX-License-Identifier: Apache-2.0
#include "thimble/plan/nested_tiles.h"

#include <algorithm>
#include <limits>
#include <span>

#include "thimble/model/division.h"

namespace thimble {
namespace {

/// Inner tiles from one outer tile to the next; nothing if that is no whole number.
std::optional<int64_t> inner_tiles(const TiledCall& inner, const TiledCall& outer) {
  if (inner.reduces || outer.reduces || inner.outer || inner.axis != outer.axis)
    return std::nullopt;
  // What a later outer tile needs of this one's is not computed again where it is needed.
  if (inner.border == Border::kRecompute && outer.border == Border::kRoll) return std::nullopt;
  const int64_t num = outer.beat.rows * inner.beat.tiles, den = outer.beat.tiles * inner.beat.rows;
  return num % den == 0 ? std::optional(num / den) : std::nullopt;
}

/// extents: of the axis, per call of the inner loop; around: what the outer one has these do.
bool nest(Clock& inner, std::span<const TiledCall> around, const OuterTiles& outer,
          const std::vector<int64_t>& extents) {
  const std::optional<int64_t> each = inner_tiles(inner.calls[0], around[0]);
  if (!each) return false;
  int64_t first = std::numeric_limits<int64_t>::max(), last = std::numeric_limits<int64_t>::min();
  for (size_t c = 0; c < around.size(); ++c) {
    TiledCall& call = inner.calls[c];
    if (inner_tiles(call, around[c]) != each) return false;
    call.outer = {outer.loop, outer.count, *each, around[c].beat};
    // What is computed again has no tiles but those of its readers.
    if (call.border == Border::kRecompute) continue;
    for (int64_t j = 0; j < outer.count; ++j) {
      const Interval part = positions(*call.outer, j, extents[c]);
      if (part.empty()) continue;
      const auto complete = [&](int64_t end) {
        return ceil_div(call.beat.tiles * end - call.beat.phase, call.beat.rows) - *each * j;
      };
      first = std::min(first, complete(part.begin + 1));
      last = std::max(last, complete(part.end));
    }
  }
  if (first > last) return false;
  inner.tiles = last - first + 1;
  for (TiledCall& call : inner.calls) call.beat.phase += call.beat.rows * first;
  return true;
}

bool contains(const LiveRange& outer, const LiveRange& inner) {
  return outer.begin <= inner.begin && inner.end <= outer.end;
}

}  // namespace

bool nest_loops(const Dataflow& dataflow, const std::vector<InstanceCall>& calls,
                std::vector<DerivedLoop>& loops) {
  for (size_t l = 0; l < loops.size(); ++l) {
    DerivedLoop& inner = loops[l];
    for (size_t o = 0; o < l; ++o) {
      const DerivedLoop& outer = loops[o];
      if (outer.depth >= inner.depth || !contains(outer.steps, inner.steps)) continue;
      const std::span<const TiledCall> around =
          std::span(outer.clock.calls)
              .subspan(static_cast<size_t>(inner.steps.begin - outer.steps.begin),
                       inner.clock.calls.size());
      bool twice = false;
      std::vector<int64_t> extents;
      for (size_t c = 0; c < around.size(); ++c) {
        const TiledCall& call = inner.clock.calls[c];
        twice = twice || (!call.reduces && !around[c].reduces && call.axis == around[c].axis);
        const ValueId made = dataflow.made_by(calls[static_cast<size_t>(inner.steps.begin) + c]);
        extents.push_back(call.reduces ? 0 : dataflow.shape(made)[static_cast<size_t>(call.axis)]);
      }
      const OuterTiles tiles{.loop = static_cast<int>(o), .count = outer.clock.tiles};
      if (twice && !nest(inner.clock, around, tiles, extents)) return false;
    }
  }
  return true;
}

Interval positions(const OuterTiles& outer, int64_t tile, int64_t extent) {
  return clip({{outer.beat.begin(tile), outer.beat.end(tile)}}, {extent})[0];
}

Interval positions(const TiledCall& call, int64_t outer_tile, int64_t tile, int64_t extent) {
  const int64_t at = tile + (call.outer ? call.outer->inner * outer_tile : 0);
  Interval cut{0, extent};
  if (call.outer) cut = positions(*call.outer, outer_tile, extent);
  return {std::clamp(call.beat.begin(at), cut.begin, cut.end),
          std::clamp(call.beat.end(at), cut.begin, cut.end)};
}

IntervalExpr interval(const TiledCall& call, LoopId loop) {
  IntervalExpr result = call.beat.interval(loop);
  if (!call.outer) return result;
  const LoopId outer{call.outer->loop};
  for (IndexExpr* bound : {&result.begin, &result.end})
    bound->terms.insert(bound->terms.begin(), {outer, call.beat.rows * call.outer->inner});
  const IntervalExpr cut = call.outer->beat.interval(outer);
  result.within = {cut.begin, cut.end};
  return result;
}

TileAxis shortest(const TiledCall& call, int64_t extent, int64_t tiles, LoopId loop) {
  if (!call.outer) return shortest(call.beat, extent, tiles, loop);
  const OuterTiles& outer = *call.outer;
  TileAxis result = shortest(call.beat, extent, tiles + outer.inner * (outer.count - 1), loop);
  std::vector<Term>& terms = result.origin.terms;
  terms.insert(terms.begin(), {LoopId{outer.loop}, terms[0].coefficient * outer.inner});
  return result;
}

}  // namespace thimble
