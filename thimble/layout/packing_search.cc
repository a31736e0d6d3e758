// SPDX-License-Identifier: Apache-2.0
// The search of packing_search.h.
#include "thimble/layout/packing_search.h"

#include <algorithm>
#include <iterator>
#include <numeric>

#include "thimble/layout/bound.h"

namespace thimble::layout {
namespace {

/// Work of a node besides its buffers, in the time that it takes to look at one: lists are made and
/// candidates sorted.
constexpr int64_t kNodeWork = 30;
/// Sections and neighbours that are looked at in the time of one buffer: where buffers live long or
/// many are live at once, these are most of the work.
constexpr int64_t kLooksPerWork = 10;

}  // namespace

PackingSearch::PackingSearch(const Problem& problem, const Sweep& sweep)
    : problem_(problem), sweep_(sweep), unit_(least_alignment(problem)) {
  for (const Buffer& buffer : problem.buffers) {
    complete_ = complete_ && !buffer.address;
    padded_.push_back(align_up(buffer.size_bytes, unit_));
  }
  find_lifts();
  find_shares();
  twin_ = twins(problem, sweep, [&](size_t i) { return shares_[i].empty(); });
}

void PackingSearch::find_lifts() {
  lifts_.resize(padded_.size());
  ties_.assign(padded_.size(), false);
  for (size_t i = 0; i < padded_.size(); ++i) {
    for (const Conflict& c : sweep_.conflicts[i]) {
      complete_ = complete_ && !c.same && c.above >= 0 && c.below <= 0;
      lifts_[i].push_back({c.other, std::max<int64_t>(0, c.above)});
      if (c.above <= 0 || c.below >= 0) ties_[i] = true;
    }
  }
}

void PackingSearch::find_shares() {
  shares_.resize(padded_.size());
  initial_left_.assign(sweep_.sections.size(), 0);
  for (size_t s = 0; s < sweep_.sections.size(); ++s) {
    for (const int b : sweep_.sections[s]) initial_left_[s] += padded_[index(b)];
  }
  for (const Saving& saving : savings(problem_, unit_)) {
    const auto& a = sweep_.sections_of[index(saving.a)];
    const auto& b = sweep_.sections_of[index(saving.b)];
    std::vector<int> common;
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(common));
    if (common.empty()) continue;
    for (const int s : common) initial_left_[index(s)] -= saving.bytes;
    shares_[index(saving.a)].push_back({saving.b, saving.bytes, common});
    shares_[index(saving.b)].push_back({saving.a, saving.bytes, common});
  }
}

SearchOutcome PackingSearch::run(int64_t capacity_bytes, const std::vector<int>& order,
                                 int64_t max_nodes, SearchBudget& budget) {
  const size_t count = padded_.size();
  capacity_ = capacity_bytes;
  capacity_padded_ = align_up(capacity_bytes, unit_);
  rank_.assign(count, 0);
  for (size_t r = 0; r < count; ++r) rank_[index(order[r])] = static_cast<int>(r);
  address_.assign(count, -1);
  floor_.assign(count, 0);
  left_ = initial_left_;
  dirty_.clear();
  is_dirty_.assign(left_.size(), false);
  placed_.clear();
  trail_.clear();
  blame_.assign(count, 0);
  budget_ = &budget;
  last_node_ = nodes_ + max_nodes;
  unplaced_neighbours_.assign(count, 0);
  std::vector<int> unplaced;
  for (size_t i = 0; i < count; ++i) {
    unplaced_neighbours_[i] = static_cast<int>(lifts_[i].size());
    if (padded_[i] > capacity_padded_) return SearchOutcome::kNone;
    if (sweep_.sections_of[i].empty()) {
      address_[i] = 0;  // never live, or no bytes
    } else {
      unplaced.push_back(static_cast<int>(i));
    }
  }
  // solve() splits by section, from a list in the order of first sections.
  std::stable_sort(unplaced.begin(), unplaced.end(), [&](int a, int b) {
    return sweep_.sections_of[index(a)].front() < sweep_.sections_of[index(b)].front();
  });
  return solve(unplaced, {});
}

bool PackingSearch::out_of_budget(size_t unplaced) {
  ++nodes_;
  budget_->work -= std::max(kNodeWork + static_cast<int64_t>(unplaced), looks_ / kLooksPerWork);
  looks_ = 0;
  if (nodes_ >= last_node_ || budget_->work <= 0) return true;
  return nodes_ % 256 == 0 && budget_->spent();
}

std::vector<std::vector<int>> PackingSearch::split(const std::vector<int>& unplaced) const {
  std::vector<std::vector<int>> result;
  int last_section = -1;
  for (const int b : unplaced) {
    const std::vector<int>& sections = sweep_.sections_of[index(b)];
    if (result.empty() || sections.front() > last_section) result.emplace_back();
    result.back().push_back(b);
    last_section = std::max(last_section, sections.back());
  }
  return result;
}

SearchOutcome PackingSearch::solve(const std::vector<int>& unplaced, Level level) {
  std::vector<int> constrained;
  const size_t placed_mark = placed_.size(), trail_mark = trail_.size();
  for (const int b : unplaced) {
    if (unplaced_neighbours_[index(b)] > 0) {
      constrained.push_back(b);
    } else if (!place(b, floor_[index(b)])) {
      take_back(placed_mark, trail_mark);
      return SearchOutcome::kNone;
    }
  }
  std::vector<std::vector<int>> all_parts = split(constrained);
  std::stable_sort(all_parts.begin(), all_parts.end(),
                   [](const auto& a, const auto& b) { return a.size() < b.size(); });
  for (const std::vector<int>& part : all_parts) {
    const SearchOutcome outcome = solve_part(part, level);
    if (outcome == SearchOutcome::kFound) continue;
    take_back(placed_mark, trail_mark);
    return outcome;
  }
  return SearchOutcome::kFound;
}

SearchOutcome PackingSearch::solve_part(const std::vector<int>& part, Level level) {
  if (out_of_budget(part.size())) return SearchOutcome::kStopped;
  std::vector<int> rest;
  for (const Candidate& candidate : candidates(part, level)) {
    const size_t placed_mark = placed_.size(), trail_mark = trail_.size();
    if (place(candidate.buffer, candidate.address) && sections_fit(candidate.address)) {
      rest.clear();
      std::copy_if(part.begin(), part.end(), std::back_inserter(rest),
                   [&](int b) { return b != candidate.buffer; });
      const SearchOutcome outcome = solve(rest, {candidate.address, candidate.rank});
      if (outcome != SearchOutcome::kNone) return outcome;
    }
    take_back(placed_mark, trail_mark);
  }
  return SearchOutcome::kNone;
}

std::vector<PackingSearch::Candidate> PackingSearch::candidates(const std::vector<int>& part,
                                                                Level level) {
  int64_t most_left = 0, first_end = capacity_ + 1;
  for (const int b : part) {
    first_end = std::min(first_end, floor_[index(b)] + problem_.buffers[index(b)].size_bytes);
    looks_ += std::ssize(sweep_.sections_of[index(b)]);
    for (const int s : sweep_.sections_of[index(b)])
      most_left = std::max(most_left, left_[index(s)]);
  }
  const int64_t last_address = std::min(first_end - 1, capacity_padded_ - most_left);
  std::vector<Candidate> result;
  if (last_address < level.address) return result;
  for (const int b : part) {
    const int64_t address = floor_[index(b)];
    const int rank = rank_[index(b)];
    const bool passed = address < level.address ||
                        (address == level.address && rank < level.rank && !ties_[index(b)]);
    if (passed) {
      if (!can_be_lifted(b)) return {};
    } else if (address <= last_address) {
      const int twin = twin_[index(b)];
      if (twin < 0 || address_[index(twin)] >= 0) result.push_back({address, rank, b});
    }
  }
  std::sort(result.begin(), result.end());
  return result;
}

bool PackingSearch::can_be_lifted(int buffer) const {
  const int64_t address = floor_[index(buffer)];
  return std::any_of(
      lifts_[index(buffer)].begin(), lifts_[index(buffer)].end(), [&](const Lift& lift) {
        return address_[index(lift.other)] < 0 && floor_[index(lift.other)] < address + lift.bytes;
      });
}

bool PackingSearch::place(int buffer, int64_t address) {
  const size_t i = index(buffer);
  address_[i] = address;
  placed_.push_back(buffer);
  looks_ += 2 * std::ssize(lifts_[i]);  // they are taken back, too
  const auto touch = [&](int s) {
    if (is_dirty_[index(s)]) return;
    is_dirty_[index(s)] = true;
    dirty_.push_back(s);
  };
  for (const int s : sweep_.sections_of[i]) {
    left_[index(s)] -= padded_[i];
    touch(s);
  }
  for (const Share& share : shares_[i]) {
    if (address_[index(share.other)] >= 0) continue;
    for (const int s : share.sections) left_[index(s)] += share.bytes;
  }
  bool fits = address + problem_.buffers[i].size_bytes <= capacity_;
  for (const Lift& lift : lifts_[i]) {
    const size_t o = index(lift.other);
    --unplaced_neighbours_[o];
    if (address_[o] >= 0) continue;
    const int64_t lifted = align_up(address + lift.bytes, problem_.buffers[o].alignment);
    if (lifted <= floor_[o]) continue;
    trail_.push_back({lift.other, floor_[o]});
    floor_[o] = lifted;
    if (lifted + problem_.buffers[o].size_bytes > capacity_) {
      fits = false;
      ++blame_[o];
    }
    looks_ += std::ssize(sweep_.sections_of[o]);
    for (const int s : sweep_.sections_of[o]) touch(s);
  }
  return fits;
}

void PackingSearch::take_back(size_t placed_mark, size_t trail_mark) {
  for (; placed_.size() > placed_mark; placed_.pop_back()) {
    const size_t i = index(placed_.back());
    address_[i] = -1;
    for (const int s : sweep_.sections_of[i]) left_[index(s)] += padded_[i];
    for (const Share& share : shares_[i]) {
      if (address_[index(share.other)] >= 0) continue;
      for (const int s : share.sections) left_[index(s)] -= share.bytes;
    }
    for (const Lift& lift : lifts_[i]) ++unplaced_neighbours_[index(lift.other)];
  }
  for (; trail_.size() > trail_mark; trail_.pop_back()) {
    floor_[index(trail_.back().buffer)] = trail_.back().floor;
  }
  for (const int s : dirty_) is_dirty_[index(s)] = false;
  dirty_.clear();
}

bool PackingSearch::sections_fit(int64_t address) {
  bool fits = true;
  for (const int s : dirty_) {
    is_dirty_[index(s)] = false;
    if (!fits || left_[index(s)] == 0) continue;
    int64_t lowest = capacity_;
    looks_ += std::ssize(sweep_.sections[index(s)]);
    for (const int b : sweep_.sections[index(s)]) {
      if (address_[index(b)] < 0) lowest = std::min(lowest, floor_[index(b)]);
    }
    fits = std::max(lowest, address) + left_[index(s)] <= capacity_padded_;
    if (fits) continue;
    for (const int b : sweep_.sections[index(s)]) blame_[index(b)] += address_[index(b)] < 0;
  }
  dirty_.clear();
  return fits;
}

}  // namespace thimble::layout
