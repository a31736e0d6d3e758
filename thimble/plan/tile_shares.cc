// SPDX-License-Identifier: Apache-2.0
#include "thimble/plan/tile_shares.h"

#include <algorithm>
#include <numeric>

namespace thimble {
namespace {

bool any_term(const IntervalExpr& interval, const auto& is) {
  bool any = false;
  each_bound(interval,
             [&](const IndexExpr& bound) { any |= std::ranges::any_of(bound.terms, is); });
  return any;
}
bool follows(const IntervalExpr& interval, int loop) {
  return any_term(interval, [&](const Term& term) { return term.loop.value == loop; });
}
bool follows_only(const IntervalExpr& interval, int loop) {
  return !any_term(interval, [&](const Term& term) { return term.loop.value != loop; });
}

/// In each tile of the outer loop.
std::vector<double> tile_elements(const Derived& derived, size_t step, const Shape& extents) {
  std::vector<double> result;
  Counters counters(derived.loops.size(), 0);
  for (int64_t tile = 0; tile < derived.loops[0].clock.tiles; ++tile) {
    counters[0] = tile;
    double elements = 1;
    for (const Interval& axis : evaluate(derived.steps[step].region, counters, extents))
      elements *= static_cast<double>(axis.size());
    result.push_back(elements);
  }
  return result;
}

}  // namespace

std::vector<double> tile_shares(const Derived& derived, size_t step, const Shape& extents) {
  std::vector<double> shares = tile_elements(derived, step, extents);
  const double all = std::accumulate(shares.begin(), shares.end(), 0.0);
  for (double& share : shares) share /= std::max(all, 1.0);
  return shares;
}

double times_made(const Derived& derived, size_t step, const Shape& extents) {
  const std::vector<double> tiles = tile_elements(derived, step, extents);
  return std::accumulate(tiles.begin(), tiles.end(), 0.0) / static_cast<double>(elements(extents));
}

double wait_beside(const std::vector<double>& shares, double computes, double transfers) {
  const auto tiles = std::ranges::count_if(shares, [](double share) { return share > 0; });
  if (tiles == 0) return 0;
  const double each = transfers / static_cast<double>(tiles);
  double waits = 0;
  for (const double share : shares) {
    if (share > 0) waits += std::max(each - computes * share, 0.0);
  }
  return waits;
}

ComputingTiles computing_tiles(const Derived& derived, const RegionExpr& region,
                               const Shape& extents, int depth) {
  if (region.empty()) return {};
  for (int l = 0; l < std::ssize(derived.loops); ++l) {
    if (derived.loops[static_cast<size_t>(l)].depth >= depth) continue;
    if (follows(region.back(), l)) continue;
    const int64_t count = derived.loops[static_cast<size_t>(l)].clock.tiles;
    Interval tiles{0, count};
    for (size_t axis = 0; axis < region.size(); ++axis) {
      if (!follows(region[axis], l) || !follows_only(region[axis], l)) continue;
      Counters counters(derived.loops.size(), 0);
      const auto empty_in = [&](int64_t tile) {
        counters[static_cast<size_t>(l)] = tile;
        return evaluate({region[axis]}, counters, {extents[axis]})[0].size() == 0;
      };
      while (tiles.begin < tiles.end && empty_in(tiles.begin)) ++tiles.begin;
      while (tiles.begin < tiles.end && empty_in(tiles.end - 1)) --tiles.end;
    }
    if (tiles.size() > 0 && tiles.size() < count) return {l, tiles};
  }
  return {};
}

}  // namespace thimble
