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
  size_t before = 0, way = 0;
};

}  // namespace

std::vector<size_t> least_time_within(const std::vector<std::vector<TimedBytes>>& ways,
                                      int64_t limit_bytes) {
  std::vector<std::vector<Together>> labels = {{Together{}}};
  for (const std::vector<TimedBytes>& some : ways) {
    std::vector<Together> next;
    for (size_t l = 0; l < labels.back().size(); ++l) {
      const Together& label = labels.back()[l];
      for (size_t w = 0; w < some.size(); ++w)
        next.push_back({label.bytes + some[w].bytes, label.time + some[w].time, l, w});
    }
    next = pareto(std::move(next), &Together::bytes, &Together::time);
    if (next.size() > kMostLabels) {
      std::vector<Together> spread;
      for (size_t k = 0; k < kMostLabels; ++k)
        spread.push_back(next[k * (next.size() - 1) / (kMostLabels - 1)]);
      next = std::move(spread);
    }
    labels.push_back(std::move(next));
  }
  const std::vector<Together>& all = labels.back();
  const auto beyond = std::ranges::upper_bound(all, limit_bytes, {}, &Together::bytes);
  size_t label = beyond == all.begin() ? 0 : static_cast<size_t>(beyond - all.begin()) - 1;
  std::vector<size_t> taken(ways.size());
  for (size_t k = ways.size(); k-- > 0;) {
    const Together& last = labels[k + 1][label];
    taken[k] = last.way;
    label = last.before;
  }
  return taken;
}

}  // namespace thimble
