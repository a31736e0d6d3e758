// SPDX-License-Identifier: Apache-2.0
#include "thimble/plan/front.h"

#include <numeric>
#include <utility>

#include "thimble/search/pareto.h"

namespace thimble {

double Front::latency(size_t point) const {
  const double fastest = points.back().instructions;
  return fastest > 0 ? points[point].instructions / fastest : 1;
}

size_t Front::chosen() const {
  size_t smallest = points.size() - 1;
  while (smallest > 0 && latency(smallest - 1) <= max_latency) --smallest;
  if (!sram_limit_bytes) return smallest;
  size_t best = smallest;
  for (size_t k = smallest; k < points.size(); ++k) {
    if (points[k].arena_bytes <= *sram_limit_bytes) best = k;
  }
  return best;
}

std::string Front::bound_by() const {
  if (by_number) return "--pick";
  const bool fits = sram_limit_bytes && points[picked].arena_bytes <= *sram_limit_bytes;
  if (fits) return picked + 1 < points.size() ? "--sram" : "";
  return picked > 0 ? "--max-latency" : "";
}

std::vector<size_t> undominated(const std::vector<FrontFigures>& all) {
  std::vector<size_t> points(all.size());
  std::iota(points.begin(), points.end(), size_t{0});
  constexpr double kLeastGain = 0.001;  // estimates are not exact enough for less to mean anything
  return pareto(
      std::move(points), [&](size_t k) { return all[k].arena_bytes; },
      [&](size_t k) { return all[k].instructions; }, kLeastGain);
}

}  // namespace thimble
