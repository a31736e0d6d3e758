// SPDX-License-Identifier: Apache-2.0
// The plan of a cut, and what is said of it.
#pragma once

#include "thimble/plan/note.h"
#include "thimble/planners/stream_cuts.h"

namespace thimble {

/// How much of it is in groups.
[[nodiscard]] note::Spans spans(const Instances& instances, const StreamCut& cut);

/// Outputs of whole operators may lie over their inputs, so that the layout has the choice; but not
/// where both fit into so many bytes and kernels are faster on buffers that are apart, with the
/// scratch that is left.
struct ApartBudget {
  LatencyEstimate* latency = nullptr;  ///< nothing: all of them may
  int64_t bytes = 0;

  /// Whether the call's buffers had better be apart; bytes that are live so and over each other,
  /// with the portable kernel's scratch.
  [[nodiscard]] bool better(const InstanceCall& call, int64_t apart_bytes,
                            int64_t over_bytes) const;
};

[[nodiscard]] Plan stream_plan(const Dataflow& dataflow, const OrderProblem& problem,
                               const StreamCut& cut, bool in_place, const ApartBudget& budget = {});

}  // namespace thimble
