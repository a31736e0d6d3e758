// SPDX-License-Identifier: Apache-2.0
// The attempts of room_search.h.
#include "thimble/layout/room_search.h"

#include <algorithm>
#include <array>
#include <utility>

#include "thimble/layout/bound.h"
#include "thimble/layout/greedy.h"
#include "thimble/layout/merging.h"
#include "thimble/layout/niche_search.h"
#include "thimble/layout/padding.h"
#include "thimble/layout/rooms.h"

namespace thimble::layout {
namespace {

constexpr std::array kDoubts = {1.0, 0.1, 10.0};                              ///< in turn
constexpr std::array kChanceDoubts = {0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0};  ///< by chance
constexpr std::array kShares = {1.0, 0.7, 0.5, 0.3};  ///< of blocks that are left, by chance
constexpr int kLeastTries = 10;                       ///< by chance, in a round
constexpr int64_t kNodesByChance = 60;  ///< for each order: a good guess leaves next to no search
constexpr int kChoiceTries = 100;       ///< for an attempt that is new
constexpr uint32_t kMostNewChoices = 5;

}  // namespace

bool RoomSearch::applies(const Problem& problem, const Sweep& sweep) {
  const bool equal = std::ranges::all_of(problem.buffers, [&](const Buffer& buffer) {
    return buffer.alignment == problem.buffers[0].alignment;
  });
  const bool gapless = std::ranges::all_of(sweep.sections_of, [](const std::vector<int>& sections) {
    return sections.empty() || sections.back() - sections.front() + 1 == std::ssize(sections);
  });
  return equal && gapless;
}

RoomSearch::RoomSearch(const Problem& problem, const Sweep& sweep)
    : unit_(least_alignment(problem)),
      quantum_(align_up(quantum_bytes(problem), unit_)),
      sections_(static_cast<int>(sweep.sections.size())),
      used_(sweep.sections.size(), 0),
      fewest_(2 * problem.buffers.size()),
      addresses_(problem.buffers.size(), 0) {
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    const std::vector<int>& sections = sweep.sections_of[i];
    if (sections.empty()) continue;
    const int64_t bytes = align_up(problem.buffers[i].size_bytes, unit_);
    for (const int s : sections) used_[index(s)] += bytes;
    blocks_.push_back({sections.front(), sections.back() + 1, bytes, {{static_cast<int>(i), 0}}});
  }
}

SearchOutcome RoomSearch::run(int64_t capacity_bytes, int64_t work, int64_t max_nodes,
                              SearchBudget& budget) {
  capacity_ = align_down(capacity_bytes, unit_);
  unused_.clear();
  for (const int64_t bytes : used_) {
    if (bytes > capacity_) return SearchOutcome::kStopped;
    unused_.push_back(capacity_ - bytes);
  }
  tried_.clear();
  const int64_t least_left = budget.work - work;
  const auto goes_on = [&] { return tried_.size() < kDoubts.size() || budget.work > least_left; };
  while (!budget.spent() && goes_on() && prepare(budget)) {
    const Attempt& attempt = tried_.back();
    std::vector<Block> blocks = blocks_;
    blocks.insert(blocks.end(), attempt.padding.begin(), attempt.padding.end());
    blocks = merge_rooms(std::move(blocks), sections_, quantum_, attempt.doubt, budget);
    if (blocks.size() <= fewest_) {
      fewest_ = blocks.size();
      best_choices_ = choices_;
    }
    if (search(blocks, max_nodes, budget) == SearchOutcome::kFound) return SearchOutcome::kFound;
  }
  return std::ranges::max(unused_) > 0 ? SearchOutcome::kStopped
                                       : search_by_chance(least_left, budget);
}

SearchOutcome RoomSearch::search_by_chance(int64_t least_left, SearchBudget& budget) {
  for (int tries = 0; tries < kLeastTries || budget.work > least_left; ++tries) {
    if (budget.spent()) break;
    std::vector<Block> blocks = blocks_;
    for (size_t i = blocks.size(); i > 1; --i) std::swap(blocks[i - 1], blocks[merging_() % i]);
    const double doubt = kChanceDoubts[merging_() % kChanceDoubts.size()];
    blocks = merge_rooms(std::move(blocks), sections_, quantum_, doubt, budget);
    const double share = kShares[merging_() % kShares.size()];
    const auto most = static_cast<size_t>(share * static_cast<double>(blocks.size()));
    blocks = merge_by_chance(std::move(blocks), std::max<size_t>(most, 2), merging_, budget.work);
    if (search(blocks, kNodesByChance, budget) == SearchOutcome::kFound)
      return SearchOutcome::kFound;
  }
  return SearchOutcome::kStopped;
}

/// Whether there is a way to try that was not tried in this run.
bool RoomSearch::prepare(SearchBudget& budget) {
  for (int tries = 0; tries < kChoiceTries; ++tries) {
    const size_t doubt = static_cast<size_t>(number_) % kDoubts.size();
    choices_ = number_ < std::ssize(kDoubts) ? best_choices_ : other_choices();
    ++number_;
    Attempt attempt{.padding = padding(unused_, choices_, budget.work), .doubt = kDoubts[doubt]};
    if (std::ranges::find(tried_, attempt) != tried_.end()) continue;
    tried_.push_back(std::move(attempt));
    return true;
  }
  return false;
}

std::vector<uint32_t> RoomSearch::other_choices() {
  std::vector<uint32_t> result = best_choices_;
  if (result.empty()) return result;
  const size_t first = random_() % result.size();
  const size_t end = std::min(first + 1 + random_() % kMostNewChoices, result.size());
  for (size_t c = first; c < end; ++c) {
    result[c] = random_() % 4 == 0 ? 0 : static_cast<uint32_t>(random_());
  }
  return result;
}

SearchOutcome RoomSearch::search(const std::vector<Block>& blocks, int64_t max_nodes,
                                 SearchBudget& budget) {
  const Problem problem = problem_of(blocks, unit_);
  const Sweep swept = sweep(problem);
  NicheSearch niches(problem, swept);
  SearchOutcome outcome = SearchOutcome::kStopped;
  for (const std::vector<int>& order : greedy_orders(problem, swept)) {
    outcome = niches.run(capacity_, order, max_nodes, budget);
    if (outcome != SearchOutcome::kStopped) break;
  }
  nodes_ += niches.nodes();
  if (outcome != SearchOutcome::kFound) return outcome;
  for (size_t b = 0; b < blocks.size(); ++b) {
    for (const Block::Part& part : blocks[b].parts) {
      addresses_[index(part.buffer)] = niches.addresses()[b] + part.offset;
    }
  }
  return outcome;
}

}  // namespace thimble::layout
