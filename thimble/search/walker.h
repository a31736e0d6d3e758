// SPDX-License-Identifier: Apache-2.0
// The states of an order problem, gone through from the start or from the end.
#pragma once

#include <functional>

#include "thimble/search/execution.h"

namespace thimble {

enum class Direction { kForward, kBackward };

/// Whether no operator saves scratch by working in place, other than by a smaller output. Then
/// whatever holds forwards holds backwards.
[[nodiscard]] bool regular(const OrderProblem& problem);

/// States are the sets of operators executed. A move executes an operator, or, from the end, takes
/// back one that no executed operator depends on. Both cost the bytes live while it executes.
class Walker {
 public:
  /// All must outlive the walker. It stands at its end of the order. Moves are charged to the
  /// budget, if there is one.
  Walker(const OrderProblem& problem, const OrderLinks& links, Direction direction,
         OrderBudget* budget = nullptr);

  [[nodiscard]] int64_t live_bytes() const { return execution_.live_bytes(); }
  [[nodiscard]] const OpSet& executed() const { return execution_.executed(); }
  [[nodiscard]] const OpSet& moves() const {
    return forward_ ? execution_.ready() : execution_.last();
  }
  [[nodiscard]] int64_t move(int op);  ///< what it costs
  void take_back(int op);
  void go_to(std::span<const uint64_t> executed, int64_t live_bytes) {
    execution_.go_to(executed, live_bytes);
  }

  /// Takes all moves that can be taken at once where `cost` has been paid already, and appends
  /// them: runs of moves, each made possible by the one before, that cost no more, and end with no
  /// more live bytes than there are anywhere before their end.
  ///
  /// No way on becomes dearer: let S be the state, A the run, S < T1 < T2 ... < end a way on. Then
  /// S < S+A < T1+A < T2+A ... is a way as well (steps that change nothing left out). Live bytes
  /// are a submodular function of closed sets: a tensor counts if its producer is in the set and a
  /// reader is not. So live(T+A) <= live(T) + live(S+A) - live(S + (A and T)), and the last two
  /// differ by nothing or less, as A and T is a beginning of the run. What an operator adds to them
  /// while it executes does not grow with a larger set: in place needs the other readers gone.
  /// Backwards the same holds with intersections for unions, but for in-place execution: an
  /// operator v in S-A may have lost a reader r of its input t before it. Then t is held in S-A,
  /// and not after r and v, which gives the inequality above another size(t) to spare: as much as v
  /// saves in place, if the problem is regular. (Else there are no such runs backwards.)
  void settle(int64_t cost, std::vector<int>& taken);

  /// Calls `visit(cost, moves)` after each move that keeps the cost below `below`, and what can be
  /// taken at once then: the walker stands there meanwhile. `paid` is the cost of the state it is
  /// at, and comes back to. What can be taken at once here is the only way on. Leaves out the rest
  /// once the budget is spent.
  void each_continuation(int64_t paid, int64_t below,
                         const std::function<void(int64_t, const std::vector<int>&)>& visit);

 private:
  [[nodiscard]] bool take_run(int64_t cost, int op, std::vector<int>& taken);
  [[nodiscard]] int made_possible_by(int op) const;

  const OrderLinks& links_;
  Execution execution_;
  const bool forward_;
  const bool settles_;
  OrderBudget* const budget_;
};

}  // namespace thimble
