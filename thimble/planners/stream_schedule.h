// SPDX-License-Identifier: Apache-2.0
// Spans of an order as loops over ticks, everything else as single steps.
#pragma once

#include "thimble/planners/stream_spans.h"

namespace thimble {

struct StreamPlan {
  std::vector<int> order;
  std::vector<StreamSpan> spans;  ///< ascending, disjoint
  int64_t peak_bytes = 0;
  std::string why = {};  ///< there are no spans that let rows pass the ports
};

[[nodiscard]] Schedule stream_schedule(const Graph& graph, const OrderProblem& problem,
                                       const StreamPlan& plan, bool in_place);

}  // namespace thimble
