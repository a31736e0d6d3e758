// SPDX-License-Identifier: Apache-2.0
// Best first, a bucket for each cost.
#include "thimble/search/exact_search.h"

#include <algorithm>
#include <array>
#include <limits>

namespace thimble {

ExactSearch::ExactSearch(const OrderProblem& problem, const OrderLinks& links, Direction direction,
                         OrderBudget* budget)
    : direction_(direction),
      walker_(problem, links, direction, budget),
      table_(problem.ops.size()),
      budget_(budget) {
  open_[0].push_back(add(0, -1, {}));
}

int64_t ExactSearch::bound_bytes() const {
  return open_.empty() ? std::numeric_limits<int64_t>::max() : open_.begin()->first;
}

/// The state that the walker stands at, at the end of `moves` from `last_move` on; -1 if it is
/// known already.
int ExactSearch::add(int64_t cost, int last_move, const std::vector<int>& moves) {
  charge(budget_, walker_.executed().size());
  const int state = table_.add(
      walker_.executed(), {.cost = cost, .live_bytes = walker_.live_bytes()}, last_move, moves);
  const OpSet& left = walker_.moves();
  const bool at_the_end =
      std::all_of(left.begin(), left.end(), [](uint64_t word) { return word == 0; });
  if (state >= 0 && at_the_end) goal_ = state;
  return state;
}

/// -1 if the state taken has been reached cheaper since it was queued.
int ExactSearch::take_cheapest() {
  const auto cheapest = open_.begin();
  const int64_t cost = cheapest->first;
  const int state = cheapest->second.back();
  cheapest->second.pop_back();
  if (cheapest->second.empty()) open_.erase(cheapest);
  return table_.state(state).cost < cost ? -1 : state;
}

std::optional<FoundOrder> ExactSearch::step(int64_t at_least, int64_t below) {
  const int from = take_cheapest();
  if (from < 0) return std::nullopt;
  const StateTable::State state = table_.state(from);
  walker_.go_to(table_.executed(from), state.live_bytes);
  std::vector<int> next;
  walker_.each_continuation(std::max(state.cost, at_least), below,
                            [&](int64_t cost, const std::vector<int>& moves) {
                              const int child = add(cost, state.last_move, moves);
                              if (child >= 0) next.push_back(child);
                            });
  // The last one queued is the first one taken: let it be the one with the fewest live bytes.
  std::stable_sort(next.begin(), next.end(), [&](int a, int b) {
    return table_.state(a).live_bytes > table_.state(b).live_bytes;
  });
  for (const int child : next) open_[table_.state(child).cost].push_back(child);
  if (!goal_) return std::nullopt;
  FoundOrder found{.ops = table_.moves_to(*goal_), .peak_bytes = table_.state(*goal_).cost};
  if (direction_ == Direction::kBackward) std::reverse(found.ops.begin(), found.ops.end());
  goal_.reset();
  return found;
}

SearchResult search_from_both_ends(const OrderProblem& problem, const SearchLimits& limits) {
  const OrderLinks links(problem);
  std::array<ExactSearch, 2> ends = {
      ExactSearch(problem, links, Direction::kForward, limits.budget),
      ExactSearch(problem, links, Direction::kBackward, limits.budget)};
  SearchResult result{.found = {}, .bound_bytes = limits.at_least};
  int64_t below = limits.below;
  for (size_t turn = 0; result.bound_bytes < below && result.states < limits.states; turn ^= 1) {
    if (std::optional<FoundOrder> found = ends[turn].step(result.bound_bytes, below)) {
      below = found->peak_bytes;
      result.found = std::move(found);
    }
    result.states = ends[0].states() + ends[1].states();
    if (spent(limits.budget)) break;  // ways on may be missing: nothing is proven by their lack
    const int64_t proven = std::max(ends[0].bound_bytes(), ends[1].bound_bytes());
    result.bound_bytes = std::max(result.bound_bytes, std::min(proven, below));
  }
  return result;
}

}  // namespace thimble
