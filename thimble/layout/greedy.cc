// SPDX-License-Identifier: Apache-2.0
// First fit in a given order, and a few good orders.
#include "thimble/layout/greedy.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "thimble/model/error.h"

namespace thimble::layout {
namespace {

struct Forbidden {
  int64_t begin, end;  ///< addresses, half-open
};

/// Lowest multiple of alignment in none of the intervals.
int64_t lowest_free(std::vector<Forbidden>& forbidden, int64_t alignment) {
  if (!std::ranges::is_sorted(forbidden, {}, &Forbidden::begin))
    std::ranges::sort(forbidden, {}, &Forbidden::begin);
  int64_t address = 0;
  for (const Forbidden& f : forbidden) {
    if (f.begin > address) break;
    if (f.end > address) address = align_up(f.end, alignment);
  }
  return address;
}

/// Where the other buffer may not be, this one standing at `address`.
void forbid(const Conflict& conflict, int64_t address, std::vector<Forbidden>& forbidden) {
  const int64_t begin = address + conflict.below + 1, end = address + conflict.above;
  if (!conflict.same || address < begin || address >= end) {
    forbidden.push_back({begin, end});
    return;
  }
  if (begin < address) forbidden.push_back({begin, address});
  if (address + 1 < end) forbidden.push_back({address + 1, end});
}

std::vector<int> fixed_first(const Problem& problem, std::vector<int> order) {
  std::stable_partition(order.begin(), order.end(), [&](int b) {
    return problem.buffers[static_cast<size_t>(b)].address.has_value();
  });
  return order;
}

bool live_together(const Buffer& a, const Buffer& b) {
  return std::ranges::any_of(a.lives, [&](const Life& x) {
    return std::ranges::any_of(b.lives,
                               [&](const Life& y) { return x.begin < y.end && y.begin < x.end; });
  });
}

/// By size, largest first, each at the lowest gap that it fits. Looks for conflicts among those
/// that are placed instead of listing them all: memory in proportion to the buffers.
///
/// Time is cut into eras in which as many buffers begin; those that live in few eras are listed
/// with each, so that others need not look at them.
class BySize {
 public:
  explicit BySize(const Problem& problem) : problem_(problem), overlaps_(problem.buffers.size()) {
    for (const Overlap& overlap : problem.overlaps) {
      const Conflict conflict = relation(problem, overlap);
      overlaps_[index(overlap.in)].push_back({overlap.out, conflict});
      const Conflict mirrored{overlap.out, -conflict.above, -conflict.below, conflict.same};
      overlaps_[index(overlap.out)].push_back({overlap.in, mirrored});
    }
    std::vector<int64_t> begins;
    for (const Buffer& buffer : problem.buffers) {
      spans_.push_back(buffer.lives.empty()
                           ? Life{}
                           : Life{buffer.lives.front().begin, buffer.lives.back().end});
      begins.push_back(spans_.back().begin);
    }
    std::ranges::sort(begins);
    for (size_t i = kEraBuffers; i < begins.size(); i += kEraBuffers) eras_.push_back(begins[i]);
    listed_.resize(eras_.size() + 2);
  }

  std::vector<int64_t> addresses(const TimeLimit* time) {
    std::vector<int> order(problem_.buffers.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, std::ranges::greater{},
                             [&](int b) { return problem_.buffers[index(b)].size_bytes; });
    addresses_.assign(order.size(), 0);
    int64_t top = 0;
    int until_question = 0;
    bool stacks = false;
    for (const int b : fixed_first(problem_, order)) {
      const Buffer& buffer = problem_.buffers[index(b)];
      if (buffer.size_bytes == 0) {
        addresses_[index(b)] = buffer.address.value_or(0);
        continue;
      }
      if (until_question-- == 0) {
        stacks = late(time);
        until_question = kBetweenQuestions;
      }
      addresses_[index(b)] = buffer.address ? *buffer.address
                             : stacks       ? align_up(top, buffer.alignment)
                                            : lowest_gap(b);
      top = std::max(top, addresses_[index(b)] + buffer.size_bytes);
      if (!stacks) list(b);
    }
    return std::move(addresses_);
  }

 private:
  static constexpr size_t kEraBuffers = 128;  ///< that begin in an era
  static constexpr size_t kFewEras = 4;
  static constexpr int kBetweenQuestions = 64;
  struct Partner {
    int other;
    Conflict conflict;  ///< seen from the other
  };

  /// Eras that the buffer lives in: [first, second).
  [[nodiscard]] std::pair<size_t, size_t> eras_of(int b) const {
    const auto era = [&](int64_t time) {
      return static_cast<size_t>(std::ranges::upper_bound(eras_, time) - eras_.begin());
    };
    const Life& span = spans_[index(b)];
    return {era(span.begin), era(std::max(span.begin, span.end - 1)) + 1};
  }

  /// The last list has those that live in many eras. Each is by address.
  void list(int b) {
    const auto [first, end] = eras_of(b);
    const auto add = [&](std::vector<int>& placed) {
      const auto above = std::ranges::upper_bound(placed, addresses_[index(b)], {},
                                                  [&](int p) { return addresses_[index(p)]; });
      placed.insert(above, b);
    };
    if (end - first > kFewEras) {
      add(listed_.back());
    } else {
      for (size_t era = first; era < end; ++era) add(listed_[era]);
    }
  }

  int64_t lowest_gap(int b) {
    forbidden_.clear();
    look_at(listed_.back(), b);
    const auto [first, end] = eras_of(b);
    for (size_t era = first; era < end; ++era) look_at(listed_[era], b);
    return lowest_free(forbidden_, problem_.buffers[index(b)].alignment);
  }

  void look_at(const std::vector<int>& placed, int b) {
    const Buffer& buffer = problem_.buffers[index(b)];
    const Life span = spans_[index(b)];
    for (const int p : placed) {
      const Life other_span = spans_[index(p)];
      if (span.begin >= other_span.end || other_span.begin >= span.end) continue;
      const Buffer& other = problem_.buffers[index(p)];
      if (buffer.lives.size() + other.lives.size() > 2 && !live_together(buffer, other)) continue;
      const auto partner = std::ranges::find(overlaps_[index(b)], p, &Partner::other);
      const Conflict conflict = partner != overlaps_[index(b)].end()
                                    ? partner->conflict
                                    : Conflict{b, -buffer.size_bytes, other.size_bytes, false};
      if (forbids_something(conflict)) forbid(conflict, addresses_[index(p)], forbidden_);
    }
  }

  const Problem& problem_;
  std::vector<std::vector<Partner>> overlaps_;  ///< per buffer
  std::vector<Life> spans_;                     ///< per buffer, gaps included
  std::vector<int64_t> eras_;                   ///< where each but the first begins
  std::vector<std::vector<int>> listed_;        ///< per era, and last
  std::vector<int64_t> addresses_;
  std::vector<Forbidden> forbidden_;
};

}  // namespace

std::vector<int64_t> place_in_order(const Problem& problem, const Sweep& sweep,
                                    const std::vector<int>& order) {
  std::vector<int64_t> addresses(problem.buffers.size(), -1);
  std::vector<Forbidden> forbidden;
  for (const int b : fixed_first(problem, order)) {
    const auto i = static_cast<size_t>(b);
    const Buffer& buffer = problem.buffers[i];
    if (buffer.address) {
      addresses[i] = *buffer.address;
      continue;
    }
    forbidden.clear();
    for (const Conflict& c : sweep.conflicts[i]) {
      const auto o = static_cast<size_t>(c.other);
      if (addresses[o] < 0) continue;
      const Conflict seen_from_other{b, -c.above, -c.below, c.same};
      forbid(seen_from_other, addresses[o], forbidden);
    }
    // A free address just below the alignment may lie in a later interval: lowest_free goes on
    // from the rounded address, and intervals are sorted, so one pass is enough.
    addresses[i] = lowest_free(forbidden, buffer.alignment);
  }
  return addresses;
}

std::vector<std::vector<int>> greedy_orders(const Problem& problem, const Sweep& sweep) {
  const size_t count = problem.buffers.size();
  std::vector<int64_t> fill(sweep.sections.size(), 0);
  for (size_t s = 0; s < fill.size(); ++s) {
    for (const int b : sweep.sections[s]) {
      fill[s] += problem.buffers[static_cast<size_t>(b)].size_bytes;
    }
  }
  std::vector<int64_t> size(count), width(count), fullest(count, 0), begin(count, 0);
  for (size_t i = 0; i < count; ++i) {
    size[i] = problem.buffers[i].size_bytes;
    width[i] = static_cast<int64_t>(sweep.sections_of[i].size());
    for (const int s : sweep.sections_of[i]) {
      fullest[i] = std::max(fullest[i], fill[static_cast<size_t>(s)]);
    }
    if (!problem.buffers[i].lives.empty()) begin[i] = problem.buffers[i].lives.front().begin;
  }
  using Key = std::function<std::pair<int64_t, int64_t>(size_t)>;
  const std::vector<Key> keys = {
      [&](size_t i) { return std::pair(-size[i], int64_t{0}); },
      [&](size_t i) { return std::pair(-size[i] * width[i], -size[i]); },
      [&](size_t i) { return std::pair(-width[i], -size[i]); },
      [&](size_t i) { return std::pair(-fullest[i], -size[i]); },
      [&](size_t i) { return std::pair(-fullest[i], -width[i]); },
      [&](size_t i) { return std::pair(begin[i], -size[i]); },
      [&](size_t i) { return std::pair(-begin[i], -size[i]); },
  };
  std::vector<std::vector<int>> result;
  for (const Key& key : keys) {
    std::vector<int> order(count);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
      return key(static_cast<size_t>(a)) < key(static_cast<size_t>(b));
    });
    result.push_back(std::move(order));
  }
  return result;
}

int64_t arena_bytes(const Problem& problem, const std::vector<int64_t>& addresses) {
  int64_t result = 0;
  for (size_t i = 0; i < addresses.size(); ++i) {
    result = std::max(result, addresses[i] + problem.buffers[i].size_bytes);
  }
  return result;
}

std::vector<int64_t> best_greedy(const Problem& problem, const Sweep& sweep, int64_t budget_bytes,
                                 int rounds, const TimeLimit* time) {
  std::vector<int64_t> best;
  std::vector<int> best_order;
  int64_t best_bytes = 0;
  const auto try_order = [&](const std::vector<int>& order) {
    std::vector<int64_t> addresses = place_in_order(problem, sweep, order);
    const int64_t bytes = arena_bytes(problem, addresses);
    if (best.empty() || bytes < best_bytes) {
      best = addresses;
      best_bytes = bytes;
      best_order = order;
    }
    return addresses;
  };
  for (const std::vector<int>& order : greedy_orders(problem, sweep)) {
    if (!best.empty() && (best_bytes <= budget_bytes || late(time))) return best;
    try_order(order);
  }
  std::vector<int> order = best_order;
  for (int round = 0; round < rounds && best_bytes > budget_bytes && !late(time); ++round) {
    const std::vector<int64_t> addresses = try_order(order);
    std::stable_partition(order.begin(), order.end(), [&](int b) {
      const auto i = static_cast<size_t>(b);
      return addresses[i] + problem.buffers[i].size_bytes >= best_bytes;
    });
  }
  return best;
}

Solution greedy(const Problem& problem, const TimeLimit* time) {
  check_problem(problem);
  Solution result;
  result.addresses = BySize(problem).addresses(time);
  result.arena_bytes = arena_bytes(problem, result.addresses);
  result.lower_bound_bytes = lower_bound_bytes(problem);
  result.proven_optimal = result.arena_bytes == result.lower_bound_bytes;
  return result;
}

Solution greedy_by_size(const Problem& problem) {
  check_problem(problem);
  // The interpreter knows no overlaps.
  Problem disjoint = problem;
  disjoint.overlaps.clear();
  Solution result = greedy(disjoint);
  result.lower_bound_bytes = lower_bound_bytes(problem);
  result.proven_optimal = result.arena_bytes == result.lower_bound_bytes;
  return result;
}

}  // namespace thimble::layout
