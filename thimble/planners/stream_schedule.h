// SPDX-License-Identifier: Apache-2.0
// Spans of an order as loops over ticks, channel loops, everything else as single steps.
#pragma once

#include "thimble/planners/channel_pieces.h"
#include "thimble/planners/stream_spans.h"

namespace thimble {

struct StreamPlan {
  std::vector<int> order;
  std::vector<StreamSpan> spans;  ///< these and the loops: ascending, disjoint
  std::vector<PlacedLoop> loops;
  int64_t peak_bytes = 0;
  std::string why = {};  ///< there are no spans that let rows pass the ports
};

[[nodiscard]] Schedule stream_schedule(const Graph& graph, const OrderProblem& problem,
                                       const StreamPlan& plan, bool in_place);

}  // namespace thimble
