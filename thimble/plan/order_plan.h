// SPDX-License-Identifier: Apache-2.0
// The plan of an order of instances: each by itself, all of its tensor at once, but for pieces of
// the order that execute otherwise.
#pragma once

#include "thimble/plan/clock.h"
#include "thimble/search/order.h"

namespace thimble {

/// Positions [begin, end) of an order, as these members.
struct OrderPiece {
  int begin = 0, end = 0;
  std::vector<Member> members;
};

struct OrderPlanOptions {
  bool in_place = true;
  /// Peak of the plan. Instances compute in place by a kernel of their own (depthwise, which is
  /// slower) only where they would exceed it otherwise.
  int64_t peak_bytes = 0;
  /// Per instance: scratch that fast kernels want when it does not; none: nothing.
  std::vector<int64_t> scratch_bytes = {};
};

/// pieces: ascending, disjoint; nothing in them is in place. problem: of the dataflow's instances.
[[nodiscard]] Plan order_plan(const Dataflow& dataflow, const OrderProblem& problem,
                              const std::vector<int>& order, const OrderPlanOptions& options,
                              std::vector<OrderPiece> pieces = {});

/// A streamed input's rows, received one after the other into all of their tensor.
[[nodiscard]] Group gathering(const Dataflow& dataflow, InstanceId copy);

}  // namespace thimble
