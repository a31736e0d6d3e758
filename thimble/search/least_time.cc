// SPDX-License-Identifier: Apache-2.0
#include "thimble/search/least_time.h"

#include <algorithm>

#include "thimble/search/pareto.h"

namespace thimble {
namespace {

constexpr size_t kMostLabels = 4000;

struct Together {
  int64_t bytes = 0;
  double time = 0;
  size_t before = 0, choice = 0;
};

}  // namespace

std::vector<size_t> least_time_within(const std::vector<std::vector<TimedBytes>>& choices,
                                      int64_t limit_bytes) {
  std::vector<std::vector<Together>> labels = {{Together{}}};
  for (const std::vector<TimedBytes>& some : choices) {
    std::vector<Together> next;
    for (size_t l = 0; l < labels.back().size(); ++l) {
      const Together& label = labels.back()[l];
      for (size_t w = 0; w < some.size(); ++w)
        next.push_back({label.bytes + some[w].bytes, label.time + some[w].time, l, w});
    }
    next = pareto(std::move(next), &Together::bytes, &Together::time);
    if (next.size() > kMostLabels) {
      std::vector<Together> thinned;
      for (size_t k = 0; k < kMostLabels; ++k)
        thinned.push_back(next[k * (next.size() - 1) / (kMostLabels - 1)]);
      next = std::move(thinned);
    }
    labels.push_back(std::move(next));
  }
  const std::vector<Together>& all = labels.back();
  const auto beyond = std::ranges::upper_bound(all, limit_bytes, {}, &Together::bytes);
  size_t label = beyond == all.begin() ? 0 : static_cast<size_t>(beyond - all.begin()) - 1;
  std::vector<size_t> taken(choices.size());
  for (size_t k = choices.size(); k-- > 0;) {
    const Together& last = labels[k + 1][label];
    taken[k] = last.choice;
    label = last.before;
  }
  return taken;
}

}  // namespace thimble
