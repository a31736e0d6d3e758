// SPDX-License-Identifier: Apache-2.0
// The schedule of a cut order: loops for its pieces, whole operators for everything else.
#pragma once

#include <functional>

#include "thimble/planners/channel_pieces.h"
#include "thimble/schedule/schedule.h"

namespace thimble {

/// steps: of some operators, as they would execute without. May change the schedule's buffers, adds
/// loops and shares to it, and returns the nodes.
using WriteSteps = std::function<std::vector<Node>(std::vector<Step> steps, Schedule& schedule)>;

/// Writes operators [begin, end) of an order.
struct PieceWriter {
  int begin = 0, end = 0;
  WriteSteps write;
};

/// Turns a step that computes its operator into one that accumulates it chunk by chunk, in a buffer
/// of its own. Returns the step that finalises.
[[nodiscard]] Step accumulate(Step& step, const IntervalExpr& chunk, DType sums,
                              Schedule& schedule);

/// order.peak_bytes: that of the cut; where it allows, depthwise convolutions are not in place.
/// pieces: ascending, disjoint; nothing inside them executes in place.
[[nodiscard]] Schedule cut_schedule(const Graph& graph, const OrderProblem& problem,
                                    const Order& order, bool in_place,
                                    const std::vector<PieceWriter>& pieces);

/// The loop, and what finalises its accumulators. write_body, if given, writes its body: what it
/// sums over belongs to the channels of one iteration.
[[nodiscard]] PieceWriter channel_loop_writer(const Graph& graph, PlacedLoop placed,
                                              WriteSteps write_body = {});

}  // namespace thimble
