// SPDX-License-Identifier: Apache-2.0
// The search of niche_search.h: the tree.
#include "thimble/layout/niche_search.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "thimble/layout/bound.h"
#include "thimble/layout/mixed.h"

namespace thimble::layout {
namespace {

constexpr int64_t kNowhere = std::numeric_limits<int64_t>::max() / 4;
constexpr double kFade = 0.9;  ///< what is left of a section's weight after a run
/// Answers that a section counts for if all its capacity is slack: tight ones come first.
constexpr double kSlack = 30;
constexpr int64_t kMostFailed = 1'000'000;  ///< states that are remembered: some 32 MB

}  // namespace

NicheSearch::NicheSearch(const Problem& problem, const Sweep& sweep)
    : problem_(problem),
      sweep_(sweep),
      unit_(least_alignment(problem)),
      members_(sweep.sections),
      weight_(sweep.sections.size(), 0) {
  for (const Buffer& buffer : problem.buffers) applies_ = applies_ && !buffer.address;
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    const int64_t size = problem.buffers[i].size_bytes;
    padded_.push_back(align_up(size, unit_));
    for (const Conflict& c : sweep.conflicts[i]) {
      applies_ = applies_ && !c.same && c.above == size &&
                 c.below == -problem.buffers[index(c.other)].size_bytes;
    }
  }
  applies_ = applies_ && savings(problem, unit_).empty();
  twin_ = twins(problem, sweep, [](size_t) { return true; });
  for (size_t i = 0; i < twin_.size(); ++i) {
    kind_.push_back(twin_[i] < 0 ? static_cast<int>(i) : kind_[index(twin_[i])]);
  }
}

void NicheSearch::begin(int64_t capacity_bytes, const std::vector<int>& order) {
  const size_t count = padded_.size(), sections = sweep_.sections.size();
  if (capacity_bytes != capacity_ || std::ssize(failed_) > kMostFailed) failed_.clear();
  capacity_ = capacity_bytes;
  capacity_padded_ = align_up(capacity_bytes, unit_);
  rank_.assign(count, 0);
  for (size_t r = 0; r < count; ++r) rank_[index(order[r])] = static_cast<int>(r);
  address_.assign(count, -1);
  rest_.assign(count, 0);
  floor_.assign(count, 0);
  left_.assign(sections, 0);
  ground_.assign(sections, 0);
  choices_.assign(sections, 0);
  trail_.clear();
  dirty_.clear();
  is_dirty_.assign(sections, false);
  watched_.assign(count, 0);
  for (double& weight : weight_) weight *= kFade;
  blame_.assign(count, 0);
}

SearchOutcome NicheSearch::run(int64_t capacity_bytes, const std::vector<int>& order,
                               int64_t max_nodes, SearchBudget& budget) {
  begin(capacity_bytes, order);
  budget_ = &budget;
  last_node_ = nodes_ + max_nodes;
  Buffers unplaced;
  for (size_t i = 0; i < padded_.size(); ++i) {
    if (problem_.buffers[i].size_bytes > capacity_) return SearchOutcome::kNone;
    const auto buffer = static_cast<int>(i);
    if (sweep_.sections_of[i].empty()) {
      address_[i] = 0;  // never live, or no bytes
      continue;
    }
    unplaced.push_back(buffer);
    for (const int s : sweep_.sections_of[i]) left_[index(s)] += padded_[i];
    touch(buffer);
  }
  // split() wants a list in the order of first sections.
  std::ranges::stable_sort(unplaced, {},
                           [&](int b) { return sweep_.sections_of[index(b)].front(); });
  return solve(std::move(unplaced));
}

std::vector<NicheSearch::Buffers> NicheSearch::split(const Buffers& unplaced) const {
  std::vector<Buffers> result;
  int last_section = -1;
  for (const int b : unplaced) {
    const std::vector<int>& sections = sweep_.sections_of[index(b)];
    if (result.empty() || sections.front() > last_section) result.emplace_back();
    result.back().push_back(b);
    last_section = std::max(last_section, sections.back());
  }
  std::ranges::stable_sort(result, {}, &Buffers::size);
  return result;
}

SearchOutcome NicheSearch::solve(Buffers unplaced) {
  const size_t mark = trail_.size();
  if (!infer(unplaced)) {
    take_back(mark);
    return SearchOutcome::kNone;
  }
  std::erase_if(unplaced, [&](int b) { return placed(b); });
  for (const Buffers& part : split(unplaced)) {
    const SearchOutcome outcome = solve_part(part);
    if (outcome == SearchOutcome::kFound) continue;
    take_back(mark);
    return outcome;
  }
  return SearchOutcome::kFound;
}

SearchOutcome NicheSearch::solve_part(const Buffers& part) {
  ++nodes_;
  if (nodes_ >= last_node_ || budget_->work <= 0 || (nodes_ % 64 == 0 && budget_->spent())) {
    return SearchOutcome::kStopped;
  }
  const uint64_t name = state(part);
  if (failed_.contains(name)) return SearchOutcome::kNone;
  const int niche = narrowest(part);
  const int64_t next = next_address(niche);
  const size_t mark = trail_.size();
  for (const int b : answers(niche)) {
    if (place(b)) {
      const SearchOutcome outcome = solve(part);
      if (outcome != SearchOutcome::kNone) return outcome;
    }
    take_back(mark);
  }
  const SearchOutcome outcome = waste(niche, next) ? solve(part) : SearchOutcome::kNone;
  if (outcome != SearchOutcome::kFound) take_back(mark);
  if (outcome == SearchOutcome::kNone) failed_.insert(name);
  return outcome;
}

/// All that decides whether the part has a layout; buffers that are alike are one another's.
uint64_t NicheSearch::state(const Buffers& part) const {
  uint64_t result = 0;
  for (const int b : part) {
    const size_t i = index(b);
    result +=
        mixed(mixed(mixed(static_cast<uint64_t>(kind_[i])) + static_cast<uint64_t>(rest_[i])) +
              static_cast<uint64_t>(floor_[i]));
  }
  return result;
}

int NicheSearch::narrowest(const Buffers& part) const {
  int last = 0;
  for (const int b : part) last = std::max(last, sweep_.sections_of[index(b)].back());
  int best = -1;
  double best_score = 0;
  for (int section = sweep_.sections_of[index(part[0])].front(); section <= last; ++section) {
    const size_t s = index(section);
    if (ground_[s] == kNowhere) continue;
    const int64_t slack = capacity_padded_ - ground_[s] - left_[s];
    const double choice = static_cast<double>(choices_[s]) +
                          kSlack * static_cast<double>(slack) / static_cast<double>(capacity_);
    const double score = choice / (1 + weight_[s]);
    if ((best >= 0 && score >= best_score) || !is_niche(section)) continue;
    best = section;
    best_score = score;
  }
  return best;
}

bool NicheSearch::is_niche(int section) const {
  const int64_t ground = ground_[index(section)];
  return std::ranges::all_of(sweep_.sections[index(section)], [&](int b) {
    return placed(b) || floor_[index(b)] > ground ||
           std::ranges::all_of(sweep_.sections_of[index(b)],
                               [&](int s) { return ground_[index(s)] >= ground; });
  });
}

bool NicheSearch::is_answer(int buffer, int64_t ground) const {
  const size_t i = index(buffer);
  if (placed(buffer) || floor_[i] != ground || rest_[i] != ground) return false;
  const int twin = twin_[i];
  return twin < 0 || placed(twin) || floor_[index(twin)] != ground || rest_[index(twin)] != ground;
}

/// First those that end at walls of the niche, or level with the ground beside it.
NicheSearch::Buffers NicheSearch::answers(int section) const {
  const int64_t ground = ground_[index(section)];
  const auto beside = [&](int s) {
    return s < 0 || s >= std::ssize(ground_) ? kNowhere : ground_[index(s)];
  };
  const auto misfit = [&](int b) {
    const std::vector<int>& sections = sweep_.sections_of[index(b)];
    const int64_t left = beside(sections.front() - 1), right = beside(sections.back() + 1);
    const int64_t top = ground + padded_[index(b)];
    return -2 * (left > ground) - 2 * (right > ground) - (left == top || right == top);
  };
  std::vector<std::tuple<int, int, int>> ordered;
  for (const int b : sweep_.sections[index(section)]) {
    if (is_answer(b, ground)) ordered.emplace_back(misfit(b), rank_[index(b)], b);
  }
  std::ranges::sort(ordered);
  Buffers result;
  for (const auto& [fit, rank, buffer] : ordered) result.push_back(buffer);
  return result;
}

/// The lowest address of any buffer in the niche if none stands at its ground. The first of them
/// would stand on one that is not live in this section.
int64_t NicheSearch::next_address(int section) const {
  const int64_t ground = ground_[index(section)];
  const Buffers& members = sweep_.sections[index(section)];
  int64_t next = kNowhere;
  for (const int b : members) {
    const size_t i = index(b);
    if (placed(b)) continue;
    if (floor_[i] > ground) {
      next = std::min(next, floor_[i]);
      continue;
    }
    for (const Conflict& c : sweep_.conflicts[i]) {
      const size_t o = index(c.other);
      const int64_t end = floor_[o] + padded_[o];
      if (placed(c.other) || floor_[o] >= rest_[i] + padded_[i] || end >= next) continue;
      if (!std::ranges::binary_search(members, c.other)) next = end;
    }
  }
  return next;
}

bool NicheSearch::waste(int section, int64_t next) {
  if (next + left_[index(section)] > capacity_padded_) return false;
  return std::ranges::all_of(sweep_.sections[index(section)],
                             [&](int b) { return placed(b) || raise(b, next); });
}

bool NicheSearch::place(int buffer) {
  const size_t i = index(buffer);
  set(address_[i], floor_[i]);
  for (const int s : sweep_.sections_of[i]) set(left_[index(s)], left_[index(s)] - padded_[i]);
  touch(buffer);
  bool fits = true;
  for (const Conflict& c : sweep_.conflicts[i]) {
    const size_t o = index(c.other);
    if (placed(c.other)) continue;
    const int64_t lifted = align_up(floor_[i] + padded_[i], problem_.buffers[o].alignment);
    if (lifted <= rest_[o]) continue;
    set(rest_[o], lifted);
    touch(c.other);
    fits = raise(c.other, lifted) && fits;
  }
  return fits;
}

bool NicheSearch::raise(int buffer, int64_t address) {
  const size_t i = index(buffer);
  address = align_up(address, problem_.buffers[i].alignment);
  if (address <= floor_[i]) return true;
  set(floor_[i], address);
  touch(buffer);
  if (address + problem_.buffers[i].size_bytes <= capacity_) return true;
  ++blame_[i];
  return false;
}

void NicheSearch::set(int64_t& cell, int64_t value) {
  trail_.push_back({&cell, cell});
  cell = value;
}

void NicheSearch::take_back(size_t mark) {
  for (; trail_.size() > mark; trail_.pop_back()) *trail_.back().cell = trail_.back().before;
  for (const int s : dirty_) is_dirty_[index(s)] = false;
  dirty_.clear();
}

void NicheSearch::touch(int buffer) {
  for (const int s : sweep_.sections_of[index(buffer)]) {
    if (is_dirty_[index(s)]) continue;
    is_dirty_[index(s)] = true;
    dirty_.push_back(s);
  }
}

bool NicheSearch::fail(int section) {
  weight_[index(section)] += 1;
  for (const Head& head : heads_) ++blame_[index(head.buffer)];
  return false;
}

bool NicheSearch::infer(const Buffers& unplaced) {
  for (bool changed = true; changed;) {
    for (size_t next = 0; next < dirty_.size(); ++next) {
      is_dirty_[index(dirty_[next])] = false;
      if (!infer_section(dirty_[next])) return false;
    }
    dirty_.clear();
    changed = false;
    for (const int b : unplaced) {
      if (!placed(b) && !infer_support(b, changed)) return false;
    }
  }
  return true;
}

/// By insertion: floors change little from one time to the next.
void NicheSearch::sort_heads(int section) {
  Buffers& members = members_[index(section)];
  heads_.clear();
  size_t placed_count = 0;
  for (const int b : members) {
    if (placed(b)) {
      members[placed_count++] = b;
      continue;
    }
    const Head head{floor_[index(b)], padded_[index(b)], b};
    size_t at = heads_.size();
    heads_.push_back(head);
    for (; at > 0 && heads_[at - 1].floor > head.floor; --at) heads_[at] = heads_[at - 1];
    heads_[at] = head;
  }
  for (const Head& head : heads_) members[placed_count++] = head.buffer;
}

bool NicheSearch::infer_section(int section) {
  const size_t s = index(section);
  budget_->work -= std::ssize(members_[s]);
  sort_heads(section);
  const int64_t ground = heads_.empty() ? kNowhere : heads_[0].floor;
  if (ground_[s] != ground) set(ground_[s], ground);
  int64_t left = left_[s], first_end = kNowhere, choices = 0;
  for (const Head& head : heads_) {
    if (head.floor + left > capacity_padded_) return fail(section);
    left -= head.size;
    if (head.floor == ground) choices += is_answer(head.buffer, ground) ? 1 : 0;
    const bool may_be_first = head.floor + left_[s] <= capacity_padded_;
    if (may_be_first) first_end = std::min(first_end, head.floor + head.size);
  }
  if (!heads_.empty() && ground + unit_ + left_[s] <= capacity_padded_) ++choices;  // waste
  if (choices_[s] != choices) set(choices_[s], choices);
  for (const Head& head : heads_) {
    const bool may_be_first = head.floor + left_[s] <= capacity_padded_;
    if (!may_be_first && !raise(head.buffer, first_end)) return fail(section);
  }
  return true;
}

bool NicheSearch::infer_support(int buffer, bool& changed) {
  const size_t i = index(buffer);
  const std::vector<Conflict>& neighbours = sweep_.conflicts[i];
  const bool lifted = rest_[i] < floor_[i];
  /// Where a neighbour lifts this buffer to, if it bars it from its rest.
  const auto support_of = [&](size_t neighbour) {
    const size_t o = index(neighbours[neighbour].other);
    const bool bars = address_[o] < 0 && floor_[o] < rest_[i] + padded_[i];
    return bars ? floor_[o] + padded_[o] : kNowhere;
  };
  const auto tells_all = [&](int64_t support) {
    return support != kNowhere && (!lifted || support <= floor_[i]);
  };
  if (!neighbours.empty() && tells_all(support_of(watched_[i]))) return true;
  int64_t lowest = kNowhere;
  for (size_t n = 0; n < neighbours.size(); ++n) {
    const int64_t support = support_of(n);
    if (tells_all(support)) {
      watched_[i] = n;
      return true;
    }
    lowest = std::min(lowest, support);
  }
  changed = true;
  if (lowest != kNowhere) return raise(buffer, lowest);
  if (!lifted) return place(buffer);
  ++blame_[i];
  return false;
}

}  // namespace thimble::layout
