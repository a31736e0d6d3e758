// SPDX-License-Identifier: Apache-2.0
// The search of disjunctive_search.h.
#include "thimble/layout/disjunctive_search.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

namespace thimble::layout {

DisjunctiveSearch::DisjunctiveSearch(const Problem& problem, const Sweep& sweep,
                                     const std::vector<int64_t>& section_bounds)
    : problem_(problem), sweep_(sweep), section_bounds_(section_bounds) {
  pairs_of_.resize(problem.buffers.size());
  for (size_t a = 0; a < sweep.conflicts.size(); ++a) {
    for (const Conflict& conflict : sweep.conflicts[a]) {
      if (conflict.other < static_cast<int>(a)) continue;
      pairs_of_[a].push_back(static_cast<int>(pairs_.size()));
      pairs_of_[index(conflict.other)].push_back(static_cast<int>(pairs_.size()));
      pairs_.push_back({static_cast<int>(a), conflict.other, conflict});
    }
  }
}

SearchOutcome DisjunctiveSearch::run(int64_t capacity_bytes, int64_t max_nodes,
                                     SearchBudget& budget) {
  capacity_ = capacity_bytes;
  budget_ = &budget;
  last_node_ = nodes_ + max_nodes;
  Node root;
  for (const Buffer& buffer : problem_.buffers) {
    const int64_t last = align_down(capacity_ - buffer.size_bytes, buffer.alignment);
    root.lowest.push_back(buffer.address.value_or(0));
    root.highest.push_back(buffer.address ? std::min(last, *buffer.address) : last);
    if (root.lowest.back() > root.highest.back()) return SearchOutcome::kNone;
  }
  for (const Pair& pair : pairs_) {
    root.choices.push_back(pair.conflict.same ? kAbove | kBelow | kSame : kAbove | kBelow);
  }
  std::vector<int> all(problem_.buffers.size());
  std::iota(all.begin(), all.end(), 0);
  return solve(std::move(root), all);
}

SearchOutcome DisjunctiveSearch::solve(Node node, const std::vector<int>& changed) {
  ++nodes_;
  if (nodes_ > last_node_) return SearchOutcome::kStopped;
  budget_->work -= std::ssize(pairs_);
  if (budget_->work <= 0 || (nodes_ % 64 == 0 && budget_->spent())) return SearchOutcome::kStopped;
  if (!propagate(node, changed) || !sections_fit(node)) return SearchOutcome::kNone;
  const int pair = worst_violation(node);
  if (pair < 0) {
    addresses_ = node.lowest;
    return SearchOutcome::kFound;
  }
  const auto [a, b, conflict] = pairs_[index(pair)];
  const uint8_t left = node.choices[index(pair)];
  // Sharing first, then whichever order pushes the upper buffer less.
  const bool above_first =
      node.lowest[index(a)] + conflict.above <= node.lowest[index(b)] - conflict.below;
  for (const Choice choice :
       {kSame, above_first ? kAbove : kBelow, above_first ? kBelow : kAbove}) {
    if (!(left & choice)) continue;
    Node child = node;
    child.choices[index(pair)] = choice;
    const SearchOutcome outcome = solve(std::move(child), {a, b});
    if (outcome != SearchOutcome::kNone) return outcome;
  }
  return SearchOutcome::kNone;
}

bool DisjunctiveSearch::propagate(Node& node, std::vector<int> changed) const {
  while (!changed.empty()) {
    const int buffer = changed.back();
    changed.pop_back();
    for (const int pair : pairs_of_[index(buffer)]) {
      if (!narrow(node, pair, changed)) return false;
    }
  }
  return true;
}

uint8_t DisjunctiveSearch::feasible(const Node& node, int pair) const {
  const auto [a, b, conflict] = pairs_[index(pair)];
  const int64_t low_a = node.lowest[index(a)], high_a = node.highest[index(a)];
  const int64_t low_b = node.lowest[index(b)], high_b = node.highest[index(b)];
  uint8_t result = 0;
  if (low_a + conflict.above <= high_b) result |= kAbove;
  if (low_b - conflict.below <= high_a) result |= kBelow;
  if (std::max(low_a, low_b) <= std::min(high_a, high_b)) result |= kSame;
  return result & node.choices[index(pair)];
}

bool DisjunctiveSearch::raise(Node& node, int buffer, int64_t to, int64_t alignment,
                              std::vector<int>& changed) {
  int64_t& lowest = node.lowest[index(buffer)];
  if (to <= lowest) return true;
  lowest = align_up(to, alignment);
  changed.push_back(buffer);
  return lowest <= node.highest[index(buffer)];
}

bool DisjunctiveSearch::lower(Node& node, int buffer, int64_t to, int64_t alignment,
                              std::vector<int>& changed) {
  int64_t& highest = node.highest[index(buffer)];
  if (to >= highest) return true;
  highest = align_down(to, alignment);
  changed.push_back(buffer);
  return node.lowest[index(buffer)] <= highest;
}

bool DisjunctiveSearch::narrow(Node& node, int pair, std::vector<int>& changed) const {
  const uint8_t left = feasible(node, pair);
  if (left == 0) return false;
  node.choices[index(pair)] = left;
  if (!std::has_single_bit(left)) return true;
  const auto [a, b, conflict] = pairs_[index(pair)];
  const int64_t align_a = problem_.buffers[index(a)].alignment;
  const int64_t align_b = problem_.buffers[index(b)].alignment;
  // By reference: each bound sees what the one before it changed.
  const int64_t &low_a = node.lowest[index(a)], &high_a = node.highest[index(a)];
  const int64_t &low_b = node.lowest[index(b)], &high_b = node.highest[index(b)];
  if (left == kAbove) {
    return raise(node, b, low_a + conflict.above, align_b, changed) &&
           lower(node, a, high_b - conflict.above, align_a, changed);
  }
  if (left == kBelow) {
    return raise(node, a, low_b - conflict.below, align_a, changed) &&
           lower(node, b, high_a + conflict.below, align_b, changed);
  }
  return raise(node, a, low_b, align_a, changed) && raise(node, b, low_a, align_b, changed) &&
         lower(node, a, high_b, align_a, changed) && lower(node, b, high_a, align_b, changed);
}

bool DisjunctiveSearch::sections_fit(const Node& node) const {
  for (size_t s = 0; s < sweep_.sections.size(); ++s) {
    int64_t lowest = capacity_, highest_end = 0;
    for (const int b : sweep_.sections[s]) {
      lowest = std::min(lowest, node.lowest[index(b)]);
      highest_end =
          std::max(highest_end, node.highest[index(b)] + problem_.buffers[index(b)].size_bytes);
    }
    if (lowest + section_bounds_[s] > highest_end) return false;
  }
  return true;
}

int DisjunctiveSearch::worst_violation(const Node& node) const {
  int worst = -1;
  int64_t worst_bytes = -1;
  for (size_t p = 0; p < pairs_.size(); ++p) {
    const auto [a, b, conflict] = pairs_[p];
    const int64_t delta = node.lowest[index(b)] - node.lowest[index(a)];
    const uint8_t left = node.choices[p];
    const bool kept = ((left & kAbove) && delta >= conflict.above) ||
                      ((left & kBelow) && delta <= conflict.below) ||
                      ((left & kSame) && delta == 0);
    const int64_t bytes =
        std::min(problem_.buffers[index(a)].size_bytes, problem_.buffers[index(b)].size_bytes);
    if (!kept && bytes > worst_bytes) {
      worst = static_cast<int>(p);
      worst_bytes = bytes;
    }
  }
  return worst;
}

}  // namespace thimble::layout
