// SPDX-License-Identifier: Apache-2.0
#include "thimble/planners/motes_schemes.h"

#include <algorithm>
#include <iterator>
#include <limits>

namespace thimble {

constexpr int64_t kAnyParts = std::numeric_limits<int64_t>::max();

const std::vector<MotesSchemes::Unit>& MotesSchemes::units_of(int begin, int end) {
  const auto [it, added] = known_.try_emplace({begin, end});
  if (!added) return it->second;
  std::vector<GroupCandidate> parts = partitions_.along_channels(begin, end);
  for (const Windows windows : options_.windows) {
    const int64_t most = windows == Windows::kBlocks ? options_.most_parts : kAnyParts;
    std::ranges::move(partitions_.along_rows(begin, end, most, windows), std::back_inserter(parts));
    if (windows == Windows::kRings)
      std::ranges::move(partitions_.along_columns_of_rows(begin, end), std::back_inserter(parts));
  }
  for (GroupCandidate& part : parts) {
    std::optional<GroupCandidate> unit = units_.measured(std::move(part));
    if (unit && unit->more_steps() <= most_steps_)
      it->second.push_back(std::make_shared<const GroupCandidate>(std::move(*unit)));
  }
  return it->second;
}

std::vector<MotesSchemes::Unit> MotesSchemes::within(const GroupCandidate& outer, int64_t below) {
  std::vector<Unit> found;
  for (int begin = outer.begin; begin < outer.end; ++begin) {
    for (int end = begin + 2; end <= outer.end; ++end) {
      for (const GroupCandidate& inner : partitions_.along_channels(begin, end)) {
        const std::optional<GroupCandidate> both = nest(outer, inner);
        std::optional<GroupCandidate> unit = both ? units_.measured(*both) : std::nullopt;
        if (!unit || unit->bytes >= below) continue;
        found.push_back(std::make_shared<const GroupCandidate>(std::move(*unit)));
      }
    }
  }
  nested_.insert(nested_.end(), found.begin(), found.end());
  return found;
}

std::vector<MotesSchemes::Unit> MotesSchemes::all() const {
  std::vector<Unit> result;
  for (const auto& [window, some] : known_) result.insert(result.end(), some.begin(), some.end());
  result.insert(result.end(), nested_.begin(), nested_.end());
  return result;
}

}  // namespace thimble
