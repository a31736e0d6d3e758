// SPDX-License-Identifier: Apache-2.0
#include "thimble/plan/tile_shares.h"

#include <algorithm>
#include <numeric>

namespace thimble {

std::vector<double> tile_shares(const Derived& derived, size_t step, const Shape& extents) {
  std::vector<double> shares;
  Counters counters(derived.loops.size(), 0);
  for (int64_t tile = 0; tile < derived.loops[0].clock.tiles; ++tile) {
    counters[0] = tile;
    double elements = 1;
    for (const Interval& axis : evaluate(derived.steps[step].region, counters, extents))
      elements *= static_cast<double>(std::max<int64_t>(axis.end - axis.begin, 0));
    shares.push_back(elements);
  }
  const double all = std::accumulate(shares.begin(), shares.end(), 0.0);
  for (double& share : shares) share /= std::max(all, 1.0);
  return shares;
}

double wait_beside(const std::vector<double>& shares, double computes, double transfers) {
  const double each = transfers / static_cast<double>(shares.size());
  double waits = 0;
  for (const double share : shares) waits += std::max(each - computes * share, 0.0);
  return waits;
}

}  // namespace thimble
