// SPDX-License-Identifier: Apache-2.0
// The order with the least peak: Liberis & Lane 2019, algorithm 1, as a shortest-path search.
//
// The paper memoises over sets of tensors to be held, undoing operators from the outputs. Which
// tensors are held follows from which operators have been executed, and no operator may be executed
// twice, so the states are the same as the sets of executed operators that are closed under
// predecessors. What a state costs is the least peak of any way to it, a maximum along the way: the
// search that always goes on from the cheapest state meets each state at its least cost first
// (equal costs: the last found, so that a peak that can be kept is followed to the end at once).
#pragma once

#include <map>
#include <optional>

#include "thimble/search/state_table.h"
#include "thimble/search/walker.h"

namespace thimble {

struct FoundOrder {
  std::vector<int> ops;
  int64_t peak_bytes = 0;
};

/// From one end to the other. Two of them, one from each end, share what they have proved.
class ExactSearch {
 public:
  /// Both must outlive the search.
  ExactSearch(const OrderProblem& problem, const OrderLinks& links, Direction direction,
              OrderBudget* budget = nullptr);

  /// No order has a smaller peak; the largest number there is if none is left to be found.
  [[nodiscard]] int64_t bound_bytes() const;
  [[nodiscard]] int states() const { return table_.size(); }

  /// Goes on from one state. No order peaks below `at_least`; one that peaks at `below` or more
  /// is of no use.
  std::optional<FoundOrder> step(int64_t at_least, int64_t below);

 private:
  int take_cheapest();
  int add(int64_t cost, int last_move, const std::vector<int>& moves);

  const Direction direction_;
  Walker walker_;
  StateTable table_;
  std::map<int64_t, std::vector<int>> open_;  ///< states to go on from, by cost; none empty
  OrderBudget* budget_;
  std::optional<int> goal_;  ///< a state at the other end
};

struct SearchLimits {
  int64_t at_least = 0;  ///< no order has a smaller peak
  int64_t below = 0;     ///< a peak that is known already
  int64_t states = 0;    ///< most states to store
  OrderBudget* budget = nullptr;
};
struct SearchResult {
  std::optional<FoundOrder> found;  ///< the best with a peak below the one that is known
  int64_t bound_bytes = 0;          ///< proven; the peak of the best known order if that is best
  int64_t states = 0;
};
/// From both ends in turn, until either has proved the best known order best.
[[nodiscard]] SearchResult search_from_both_ends(const OrderProblem& problem,
                                                 const SearchLimits& limits);

}  // namespace thimble
