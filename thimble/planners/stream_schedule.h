// SPDX-License-Identifier: Apache-2.0
// Pieces of an order as loops over ticks, over channels or both, everything else as single steps.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "thimble/planners/channel_pieces.h"
#include "thimble/planners/stream_spans.h"

namespace thimble {

/// Operators that execute together: row by row, a few channels at a time, or both, the rows inside
/// of the loop over channels. At least one of them.
struct StreamPiece {
  std::optional<StreamSpan> span;
  std::optional<PlacedLoop> loop;

  [[nodiscard]] int begin() const { return span ? span->begin : loop->begin; }
  [[nodiscard]] int end() const { return span ? span->end : loop->end; }
};

struct StreamPlan {
  std::vector<int> order;
  std::vector<StreamPiece> pieces;  ///< ascending, disjoint
  /// Operators that, where they are in no piece, lie over consumed input, as in place they would
  /// need more than the peak.
  std::vector<OpId> over_input;
  int64_t peak_bytes = 0;
  int bottleneck = 0;    ///< the first position that no other piece executes with less
  std::string why = {};  ///< there are no spans that let rows pass the ports
};

[[nodiscard]] Schedule stream_schedule(const Graph& graph, const OrderProblem& problem,
                                       const StreamPlan& plan, bool in_place);

}  // namespace thimble
