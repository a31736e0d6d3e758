// SPDX-License-Identifier: Apache-2.0
// The best cut of the best order, as `stream` searches it.
#pragma once

#include "thimble/moves/rematerialise.h"
#include "thimble/operators/operators.h"
#include "thimble/planners/planner.h"
#include "thimble/planners/stream_cuts.h"
#include "thimble/planners/stream_orders.h"

namespace thimble {

/// Some instances, and the best cut of the best order of them.
struct StreamAttempt {
  Instances instances;
  OrderProblem problem;
  StreamCut cut;
  Rematerialisations rematerialised;
};

class StreamSearch {
 public:
  /// All must outlive it.
  StreamSearch(const AxisGraph& axes, const Limits& limits, const StreamOptions& options,
               KnownOrders& orders, const LatencyEstimate& known)
      : graph_(axes.graph()),
        axes_(axes),
        limits_(limits),
        options_(options),
        orders_(orders),
        known_(known) {}

  /// The best attempt with the instances as they are, or with inputs relaid where that helps.
  StreamAttempt best() const;

  /// apart: outputs lie over inputs only where there is no room for both.
  Decision planned(const StreamAttempt& best, bool apart) const;

 private:
  /// The best of the instances' own order, that of the least peak, and one that suits groups.
  StreamAttempt attempt(Instances instances, int64_t incumbent_bytes) const;

  /// The least peak or, where that is enough, the fewest instructions.
  [[nodiscard]] bool better(const StreamCut& a, const StreamCut& b) const;
  [[nodiscard]] int64_t bytes_to_beat(const StreamCut& best) const {
    return std::max(best.peak_bytes, options_.budget_bytes + 1);
  }

  /// Computes values again, the largest first, as long as the peak falls and the user allows it;
  /// then leaves out what makes no difference.
  StreamAttempt with_rematerialisation(const Instances& instances, int64_t incumbent_bytes) const;

  void add_notes(const StreamAttempt& best, std::vector<Note>& notes) const;

  /// What it would come to if the input were not collected.
  note::InputCollected passing_by() const;

  const Graph& graph_;
  const AxisGraph& axes_;
  const Limits& limits_;
  const StreamOptions& options_;
  KnownOrders& orders_;
  const LatencyEstimate& known_;  ///< of the same operators
};

}  // namespace thimble
