// SPDX-License-Identifier: Apache-2.0
// Lower bounds per section, with alignment and permitted overlaps applied.
#include "thimble/layout/bound.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>

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

/// The bound of one section, every buffer of it at a multiple of `alignment`; `pairs` per buffer.
class SectionBound {
 public:
  SectionBound(const Problem& problem, const Sweep& sweep, int64_t alignment)
      : problem_(problem),
        alignment_(alignment),
        pairs_(problem.buffers.size()),
        number_(problem.buffers.size(), -1) {
    for (const Saving& saving : savings(problem, sweep, alignment)) {
      pairs_[static_cast<size_t>(saving.a)].push_back(saving);
      pairs_[static_cast<size_t>(saving.b)].push_back(saving);
    }
  }

  /// Buffers of a smaller alignment are left out.
  int64_t operator()(const std::vector<int>& section) {
    int64_t total = 0, largest_padding = 0;
    in_section_.assign(problem_.buffers.size(), false);
    for (const int b : section) {
      in_section_[index(b)] = buffer(b).alignment >= alignment_;
      if (!in_section_[index(b)]) continue;
      largest_padding = std::max(largest_padding, padded(b) - buffer(b).size_bytes);
    }
    for (const int b : section) {
      if (in_section_[index(b)]) total += group_of(b);
    }
    return total - largest_padding;
  }

 private:
  const Buffer& buffer(int b) const { return problem_.buffers[index(b)]; }
  int64_t padded(int b) const { return align_up(buffer(b).size_bytes, alignment_); }

  /// The bound of the group of buffer b; its members leave the section, so that each counts once.
  int64_t group_of(int b) {
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

  const Problem& problem_;
  const int64_t alignment_;
  std::vector<std::vector<Saving>> pairs_;
  std::vector<int> number_;       ///< of a buffer in its group
  std::vector<bool> in_section_;  ///< and not counted yet
};

}  // namespace

std::vector<Saving> savings(const Problem& problem, const Sweep& sweep, int64_t alignment) {
  std::set<std::pair<int, int>> pairs;
  for (const Overlap& overlap : problem.overlaps) pairs.emplace(overlap.in, overlap.out);
  std::vector<Saving> result;
  for (const auto& [in, out] : pairs) {
    const auto i = static_cast<size_t>(in), o = static_cast<size_t>(out);
    const int64_t size_in = align_up(problem.buffers[i].size_bytes, alignment);
    const int64_t size_out = align_up(problem.buffers[o].size_bytes, alignment);
    // Nothing forbidden (or never live together): they may share all they like.
    Conflict conflict{.other = out, .below = 0, .above = 0, .same = true};
    for (const Conflict& c : sweep.conflicts[i]) {
      if (c.other == out) conflict = c;
    }
    conflict.above = align_up(conflict.above, alignment);
    conflict.below = align_down(conflict.below, alignment);
    const int64_t bytes = largest_intersection(size_in, size_out, conflict);
    if (bytes > 0) result.push_back({in, out, bytes});
  }
  return result;
}

std::vector<int64_t> section_bounds(const Problem& problem, const Sweep& sweep) {
  std::vector<int64_t> result(sweep.sections.size(), 0);
  std::set<int64_t> alignments{1};
  for (const Buffer& buffer : problem.buffers) alignments.insert(buffer.alignment);
  for (const int64_t alignment : alignments) {
    SectionBound bound(problem, sweep, alignment);
    for (size_t s = 0; s < result.size(); ++s) {
      result[s] = std::max(result[s], bound(sweep.sections[s]));
    }
  }
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
  const Sweep swept = sweep(problem);
  int64_t result = 0;
  for (const int64_t bound : section_bounds(problem, swept)) result = std::max(result, bound);
  for (const Buffer& buffer : problem.buffers) {
    result = std::max(result, buffer.size_bytes + buffer.address.value_or(0));
  }
  const int64_t quantum = quantum_bytes(problem);
  return (result + quantum - 1) / quantum * quantum;
}

}  // namespace thimble::layout
