// SPDX-License-Identifier: Apache-2.0
#include "thimble/moves/sweep_labels.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace thimble {

namespace {

/// Shares by which labels may be worse and yet be as good as others, one tried after the other.
constexpr double kShares[] = {1.0 / 256, 1.0 / 64, 1.0 / 32, 1.0 / 16, 1.0 / 8, 1.0 / 4};

double real(int64_t value) { return static_cast<double>(value); }

}  // namespace

bool SweepLabels::as_good_as(size_t a, size_t b, const Slack& slack) const {
  const SweepLabel& one = labels_[a];
  const SweepLabel& other = labels_[b];
  if (one.inner_bytes > other.inner_bytes ||
      real(one.carried_bytes) > real(other.carried_bytes) + slack.share * real(other.inner_bytes) ||
      one.instructions() > other.instructions() * (1 + slack.share) ||
      (slack.most_recomputed_macs < kAnyMacs &&
       real(one.macs) > real(other.macs) + slack.share * real(slack.most_recomputed_macs)))
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

std::vector<uint32_t> SweepLabels::best_of(const std::vector<uint32_t>& sorted,
                                           const Slack& slack) const {
  std::vector<uint32_t> best;
  for (const uint32_t w : sorted) {
    if (std::ranges::none_of(best, [&](uint32_t b) { return as_good_as(b, w, slack); }))
      best.push_back(w);
  }
  return best;
}

void SweepLabels::keep_best(size_t most, int64_t most_recomputed_macs) {
  std::vector<uint32_t> best(labels_.size());
  std::iota(best.begin(), best.end(), 0U);
  std::ranges::sort(best, {}, [&](uint32_t w) {
    return std::tuple(labels_[w].inner_bytes, labels_[w].instructions(), labels_[w].macs, w);
  });
  best = best_of(best, {0, most_recomputed_macs});
  for (const double share : kShares) {
    if (best.size() <= most) break;
    best = best_of(best, {share, most_recomputed_macs});
  }
  if (best.size() > most) {
    std::vector<uint32_t> some;
    for (size_t k = 0; k < most; ++k) some.push_back(best[k * (best.size() - 1) / (most - 1)]);
    best = std::move(some);
  }
  std::vector<SweepLabel> labels;
  std::vector<int64_t> demands;
  const size_t numbers = open_ * each_;
  labels.reserve(best.size());
  demands.reserve((best.size() + 1) * numbers);
  for (const uint32_t w : best) {
    labels.push_back(labels_[w]);
    const auto from = demands_.begin() + static_cast<ptrdiff_t>(w * numbers);
    demands.insert(demands.end(), from, from + static_cast<ptrdiff_t>(numbers));
  }
  demands.resize((best.size() + 1) * numbers);
  labels_ = std::move(labels);
  demands_ = std::move(demands);
}

}  // namespace thimble
