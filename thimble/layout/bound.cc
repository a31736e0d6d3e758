// SPDX-License-Identifier: Apache-2.0
// Lower bounds per section, with alignment and permitted overlaps applied.
#include "thimble/layout/bound.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>

namespace thimble::layout {
namespace {

/// Groups up to this size are searched for their best subset; larger ones count as a whole.
constexpr size_t kGroupLimit = 12;

/// The most bytes that [0, size) and [delta, delta + size_other) share over the deltas allowed.
int64_t largest_intersection(int64_t size, int64_t size_other, const Conflict& conflict) {
  const int64_t all = std::min(size, size_other);
  if (conflict.same) return all;
  const auto shared = [&](int64_t delta) {
    return std::max<int64_t>(0, std::min(size, delta + size_other) - std::max<int64_t>(0, delta));
  };
  // Rises until the smaller lies within the larger, is flat, then falls: only the ends matter.
  const int64_t flat_begin = std::min<int64_t>(0, size - size_other);
  const int64_t flat_end = std::max<int64_t>(0, size - size_other);
  const int64_t from_above = shared(std::max(conflict.above, flat_begin));
  const int64_t from_below = shared(std::min(conflict.below, flat_end));
  return std::max(from_above, from_below);
}

/// Union of the sizes of the members of `subset` (a bit set over `group`) at the least.
int64_t subset_bound(const std::vector<int64_t>& sizes, const std::vector<Saving>& within,
                     uint32_t subset) {
  int64_t sum = 0;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (subset >> i & 1u) sum += sizes[i];
  }
  for (const Saving& saving : within) {
    if ((subset >> saving.a & 1u) && (subset >> saving.b & 1u)) sum -= saving.bytes;
  }
  return sum;
}

int64_t group_bound(const std::vector<int64_t>& sizes, const std::vector<Saving>& within) {
  int64_t best = *std::max_element(sizes.begin(), sizes.end());
  if (sizes.size() > kGroupLimit) {
    int64_t sum = std::accumulate(sizes.begin(), sizes.end(), int64_t{0});
    for (const Saving& saving : within) sum -= saving.bytes;
    return std::max(best, sum);
  }
  for (uint32_t subset = 1; subset < (1u << sizes.size()); ++subset) {
    best = std::max(best, subset_bound(sizes, within, subset));
  }
  return best;
}

/// One for each alignment that buffers have, and for none.
std::vector<SectionBound> bounds_by_alignment(const Problem& problem) {
  std::set<int64_t> alignments{1};
  for (const Buffer& buffer : problem.buffers) alignments.insert(buffer.alignment);
  std::vector<SectionBound> result;
  for (const int64_t alignment : alignments) result.emplace_back(problem, alignment);
  return result;
}

/// Where buffers neither share bytes nor are aligned: without a look at who lives.
int64_t most_live_bytes(const Problem& problem) {
  std::vector<std::pair<int64_t, int64_t>> changes;  // time and bytes; ends sort first
  for (const Buffer& buffer : problem.buffers) {
    for (const Life& life : buffer.lives) {
      changes.emplace_back(life.begin, buffer.size_bytes);
      changes.emplace_back(life.end, -buffer.size_bytes);
    }
  }
  std::ranges::sort(changes);
  int64_t live = 0, most = 0;
  for (const auto& [time, bytes] : changes) most = std::max(most, live += bytes);
  return most;
}

}  // namespace

std::vector<Saving> savings(const Problem& problem, int64_t alignment) {
  std::map<std::pair<int, int>, Conflict> pairs;
  for (const Overlap& overlap : problem.overlaps) {
    const Conflict conflict = relation(problem, overlap);
    pairs.try_emplace({overlap.out, overlap.in}, conflict);
  }
  std::vector<Saving> result;
  for (auto& [pair, conflict] : pairs) {
    const auto [out, in] = pair;
    const int64_t size_in = align_up(problem.buffers[index(in)].size_bytes, alignment);
    const int64_t size_out = align_up(problem.buffers[index(out)].size_bytes, alignment);
    if (!forbids_something(conflict)) conflict.same = true;  // they may share all they like
    conflict.above = align_up(conflict.above, alignment);
    conflict.below = align_down(conflict.below, alignment);
    const int64_t bytes = largest_intersection(size_out, size_in, conflict);
    if (bytes > 0) result.push_back({out, in, bytes});
  }
  return result;
}

SectionBound::SectionBound(const Problem& problem, int64_t alignment)
    : problem_(problem),
      alignment_(alignment),
      pairs_(problem.buffers.size()),
      number_(problem.buffers.size(), -1),
      in_section_(problem.buffers.size(), false) {
  for (const Saving& saving : savings(problem, alignment)) {
    pairs_[static_cast<size_t>(saving.a)].push_back(saving);
    pairs_[static_cast<size_t>(saving.b)].push_back(saving);
  }
}

int64_t SectionBound::operator()(const std::vector<int>& section, int64_t at_least) {
  int64_t total = 0, largest_padding = 0;
  for (const int b : section) {
    if (buffer(b).alignment < alignment_) continue;
    largest_padding = std::max(largest_padding, padded(b) - buffer(b).size_bytes);
    total += padded(b);
  }
  if (total <= at_least) return at_least;
  for (const int b : section) in_section_[index(b)] = buffer(b).alignment >= alignment_;
  total = 0;
  for (const int b : section) {
    if (in_section_[index(b)]) total += group_of(b);
  }
  return std::max(total - largest_padding, at_least);
}

int64_t SectionBound::group_of(int b) {
  in_section_[index(b)] = false;
  std::vector<int> group{b};
  for (size_t next = 0; next < group.size(); ++next) {
    for (const Saving& saving : pairs_[index(group[next])]) {
      const int other = saving.a == group[next] ? saving.b : saving.a;
      if (!in_section_[index(other)]) continue;
      in_section_[index(other)] = false;
      group.push_back(other);
    }
  }
  if (group.size() == 1) return padded(b);
  std::vector<int64_t> sizes;
  for (size_t i = 0; i < group.size(); ++i) {
    number_[index(group[i])] = static_cast<int>(i);
    sizes.push_back(padded(group[i]));
  }
  std::vector<Saving> within;
  for (const int member : group) {
    for (const Saving& saving : pairs_[index(member)]) {
      const int first = number_[index(saving.a)], second = number_[index(saving.b)];
      if (saving.a == member && second >= 0) within.push_back({first, second, saving.bytes});
    }
  }
  for (const int member : group) number_[index(member)] = -1;
  return group_bound(sizes, within);
}

std::vector<int64_t> section_bounds(const Problem& problem, const Sweep& sweep) {
  std::vector<int64_t> result(sweep.sections.size(), 0);
  for (SectionBound& bound : bounds_by_alignment(problem)) {
    for (size_t s = 0; s < result.size(); ++s) result[s] = bound(sweep.sections[s], result[s]);
  }
  return result;
}

std::vector<int64_t> live_bounds(const Problem& problem, int64_t moments) {
  check_problem(problem);
  SectionBound bound(problem, 1);
  std::vector<int64_t> result(static_cast<size_t>(moments), 0);
  for_each_live_set(problem, [&](const std::vector<int>& live, const Life& while_live) {
    const int64_t begin = std::max<int64_t>(while_live.begin, 0);
    const int64_t end = std::min(while_live.end, moments);
    if (begin >= end) return;
    std::fill(result.begin() + begin, result.begin() + end, bound(live, 0));
  });
  return result;
}

int64_t quantum_bytes(const Problem& problem) {
  int64_t result = 0;
  for (const Buffer& buffer : problem.buffers) {
    result = std::gcd(result, buffer.size_bytes);
    if (buffer.address) result = std::gcd(result, *buffer.address);
  }
  for (const Overlap& overlap : problem.overlaps) {
    if (overlap.lead_bytes) result = std::gcd(result, *overlap.lead_bytes);
  }
  for (const Buffer& buffer : problem.buffers) {
    // Rounding a multiple of `result` up to a divisor of it changes nothing.
    if (result % buffer.alignment != 0) result = std::gcd(result, buffer.alignment);
  }
  return std::max<int64_t>(result, 1);
}

int64_t lower_bound_bytes(const Problem& problem) {
  check_problem(problem);
  int64_t result = 0;
  const bool plain =
      problem.overlaps.empty() && std::ranges::all_of(problem.buffers, [](const Buffer& buffer) {
        return buffer.alignment == 1;
      });
  if (plain) {
    result = most_live_bytes(problem);
  } else {
    std::vector<SectionBound> bounds = bounds_by_alignment(problem);
    for_each_section(problem, [&](const std::vector<int>& section) {
      for (SectionBound& bound : bounds) result = bound(section, result);
    });
  }
  for (const Buffer& buffer : problem.buffers) {
    result = std::max(result, buffer.size_bytes + buffer.address.value_or(0));
  }
  const int64_t quantum = quantum_bytes(problem);
  return (result + quantum - 1) / quantum * quantum;
}

}  // namespace thimble::layout
