// SPDX-License-Identifier: Apache-2.0
#include "thimble/moves/sweep_ways.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace thimble {

bool SweepWays::as_good_as(size_t a, size_t b, bool by_macs) const {
  const SweepWay& one = ways_[a];
  const SweepWay& other = ways_[b];
  if (one.inner_bytes > other.inner_bytes || one.carried_bytes > other.carried_bytes ||
      one.instructions > other.instructions || (by_macs && one.macs > other.macs))
    return false;
  const int64_t* ours = demands_.data() + a * open_ * each_;
  const int64_t* theirs = demands_.data() + b * open_ * each_;
  for (size_t k = 0; k < open_; ++k, ours += each_, theirs += each_) {
    for (size_t at = 0; at + 1 < each_; ++at) {
      if (ours[at] < theirs[at]) return false;
    }
    if (one.carried_bytes + ours[each_ - 1] > other.carried_bytes + theirs[each_ - 1]) return false;
  }
  return true;
}

void SweepWays::keep_best(size_t most, bool by_macs) {
  std::vector<uint32_t> order(ways_.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, {}, [&](uint32_t w) {
    return std::tuple(ways_[w].inner_bytes, ways_[w].instructions, ways_[w].macs, w);
  });
  std::vector<uint32_t> best;
  for (const uint32_t w : order) {
    if (std::ranges::none_of(best, [&](uint32_t b) { return as_good_as(b, w, by_macs); }))
      best.push_back(w);
  }
  if (best.size() > most) {
    std::vector<uint32_t> some;
    for (size_t k = 0; k < most; ++k) some.push_back(best[k * (best.size() - 1) / (most - 1)]);
    best = std::move(some);
  }
  std::vector<SweepWay> ways;
  std::vector<int64_t> demands;
  const size_t numbers = open_ * each_;
  ways.reserve(best.size());
  demands.reserve((best.size() + 1) * numbers);
  for (const uint32_t w : best) {
    ways.push_back(ways_[w]);
    const auto from = demands_.begin() + static_cast<ptrdiff_t>(w * numbers);
    demands.insert(demands.end(), from, from + static_cast<ptrdiff_t>(numbers));
  }
  demands.resize((best.size() + 1) * numbers);
  ways_ = std::move(ways);
  demands_ = std::move(demands);
}

}  // namespace thimble
