// SPDX-License-Identifier: Apache-2.0
// Sets of instances that can execute in one group over channels, in whatever order the rest
// executes: connected, and convex (no way leads out of the set and back into it).
#pragma once

#include <vector>

#include "thimble/planners/channel_groups.h"
#include "thimble/search/order.h"

namespace thimble {

struct LoopSet {
  std::vector<int> ops;  ///< instances, ascending, which is an order in which they can execute
  const ChannelGroup* group = nullptr;
  int64_t bytes = 0;             ///< while it runs, one channel at a time: its own and its context
  int64_t bytes_one_by_one = 0;  ///< the largest working set of its instances alone
};

struct LoopSetLimits {
  int most_ops = 16;   ///< in a set
  bool pairs = false;  ///< only sets from a generating to an accumulating instance
  int most_sets = 64;  ///< grown from one instance
};

/// That of a group which is known. Its sums are as narrow as they may be.
[[nodiscard]] LoopSet loop_set(const OrderProblem& problem, const MeasuredGroup& group);

/// Each once. Grown from single instances by one neighbour at a time. Valid as long as `groups` is.
[[nodiscard]] std::vector<LoopSet> loop_sets(const OrderProblem& problem, ChannelGroups& groups,
                                             const LoopSetLimits& limits);

}  // namespace thimble
