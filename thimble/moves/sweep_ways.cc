// SPDX-License-Identifier: Apache-2.0
#include "thimble/moves/sweep_ways.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace thimble {

namespace {

/// Shares by which ways may be worse and yet be as good as others, one tried after the other.
constexpr double kShares[] = {1.0 / 256, 1.0 / 64, 1.0 / 32, 1.0 / 16, 1.0 / 8, 1.0 / 4};

double real(int64_t value) { return static_cast<double>(value); }

}  // namespace

bool SweepWays::as_good_as(size_t a, size_t b, const Slack& slack) const {
  const SweepWay& one = ways_[a];
  const SweepWay& other = ways_[b];
  if (one.inner_bytes > other.inner_bytes ||
      real(one.carried_bytes) > real(other.carried_bytes) + slack.share * real(other.inner_bytes) ||
      one.instructions() > other.instructions() * (1 + slack.share) ||
      (slack.most_macs_again < kAnyMacs &&
       real(one.macs) > real(other.macs) + slack.share * real(slack.most_macs_again)))
    return false;
  const int64_t* ours = demands_.data() + a * open_ * each_;
  const int64_t* theirs = demands_.data() + b * open_ * each_;
  for (size_t k = 0; k < open_; ++k, ours += each_, theirs += each_) {
    for (size_t at = 0; at + 1 < each_; ++at) {
      if (ours[at] < theirs[at]) return false;
    }
    if (slack.share == 0 &&
        one.carried_bytes + ours[each_ - 1] > other.carried_bytes + theirs[each_ - 1])
      return false;
  }
  return true;
}

std::vector<uint32_t> SweepWays::best_of(const std::vector<uint32_t>& sorted,
                                         const Slack& slack) const {
  std::vector<uint32_t> best;
  for (const uint32_t w : sorted) {
    if (std::ranges::none_of(best, [&](uint32_t b) { return as_good_as(b, w, slack); }))
      best.push_back(w);
  }
  return best;
}

void SweepWays::keep_best(size_t most, int64_t most_macs_again) {
  std::vector<uint32_t> best(ways_.size());
  std::iota(best.begin(), best.end(), 0U);
  std::ranges::sort(best, {}, [&](uint32_t w) {
    return std::tuple(ways_[w].inner_bytes, ways_[w].instructions(), ways_[w].macs, w);
  });
  best = best_of(best, {0, most_macs_again});
  for (const double share : kShares) {
    if (best.size() <= most) break;
    best = best_of(best, {share, most_macs_again});
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
