// SPDX-License-Identifier: Apache-2.0
// Sets of operators that can execute in one loop over channels, in whatever order the rest
// executes: connected, and convex (no way leads out of the set and back into it).
#pragma once

#include <vector>

#include "thimble/planners/channel_loop.h"
#include "thimble/search/order.h"

namespace thimble {

struct LoopSet {
  std::vector<int> ops;  ///< ascending, which is an order in which they can execute
  ChannelLoop loop;
  int64_t bytes = 0;             ///< while it runs, one channel at a time: its own and its context
  int64_t bytes_one_by_one = 0;  ///< the largest working set of its operators alone
};

struct LoopSetLimits {
  int most_ops = 16;           ///< in a set
  bool pairs = false;          ///< only sets from a generating to an accumulating operator
  int most_sets = 64;          ///< grown from one operator
  DType sums = DType::kInt32;  ///< of accumulators
};

/// That of a loop which is known.
[[nodiscard]] LoopSet loop_set(const OrderProblem& problem, const ChannelLoops& rules,
                               ChannelLoop loop, DType sums);

/// Each once. Grown from single operators by one neighbour at a time.
[[nodiscard]] std::vector<LoopSet> loop_sets(const OrderProblem& problem, const ChannelLoops& rules,
                                             const LoopSetLimits& limits);

}  // namespace thimble
