// SPDX-License-Identifier: Apache-2.0
// Groups over channels (their loops, for short) and the order of everything else, searched together
// (Pex, algorithm 1) on networks with more than one order.
//
// With its loops chosen, a network is an order problem again: each loop is one operator that reads
// its context, makes its full tensors and needs its slices and accumulators as scratch. So orders
// are left to `reorder`, and what is searched here is the choice: where the best order of a
// choice has its peak, a loop is added (in place of those it overlaps) that holds an operator
// executed there, or slices a tensor that waits there.
#pragma once

#include "thimble/planners/loop_sets.h"

namespace thimble {

struct LoopChoice {
  std::vector<LoopSet> loops;           ///< disjoint
  std::vector<std::vector<int>> order;  ///< instances one by one, those of a loop together
  int64_t peak_bytes = 0;
  int64_t states = 0;  ///< of all orders looked at
  bool ended = false;  ///< no single loop more, or instead, has a smaller peak
};

struct LoopSearchLimits {
  int64_t states = 2'000'000;  ///< about
  int64_t budget_bytes = 0;    ///< a peak that needs no improvement
  const TimeLimit* time = nullptr;
};

/// From a choice of `sets` (none, or a known one), as long as the peak falls.
[[nodiscard]] LoopChoice search_loops(const OrderProblem& problem, const std::vector<LoopSet>& sets,
                                      const std::vector<LoopSet>& start,
                                      const LoopSearchLimits& limits);

}  // namespace thimble
