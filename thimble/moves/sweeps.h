// SPDX-License-Identifier: Apache-2.0
// All sweeps of an order. Those that end at a position are found in one pass from there backwards:
// which rows a value is needed from follows from its readers alone.
#pragma once

#include <deque>
#include <vector>

#include "thimble/moves/candidate.h"
#include "thimble/moves/sweep.h"
#include "thimble/moves/sweep_end.h"
#include "thimble/moves/sweep_times.h"
#include "thimble/plan/latency_estimate.h"

namespace thimble {

class Sweeps {
 public:
  /// All must outlive it.
  Sweeps(const Dataflow& dataflow, const OrderBytes& bytes, const std::vector<int>& order,
         LatencyEstimate& latency, const SweepOptions& options);

  /// Runs that need less than the most that one of their instances needs otherwise, per position;
  /// ascending by end, then by begin. None of those with the same ends is as good as another in
  /// bytes, instructions and, if they are limited, MACs.
  [[nodiscard]] std::vector<Sweep> all(const std::vector<SweepTile>& tiles,
                                       const std::vector<int64_t>& incumbent_bytes) const;
  /// Sweeps that end at `end`.
  [[nodiscard]] std::vector<Sweep> ending_at(int end, const std::vector<SweepTile>& tiles,
                                             const std::vector<int64_t>& incumbent_bytes) const {
    return ending_at(end, tiles, incumbent_bytes, times_.front());
  }
  /// The sweep with its group.
  [[nodiscard]] GroupCandidate candidate(const Sweep& sweep) const;

 private:
  [[nodiscard]] std::vector<Sweep> ending_at(int end, const std::vector<SweepTile>& tiles,
                                             const std::vector<int64_t>& incumbent_bytes,
                                             SweepTimes& times) const;

  const SweepOrder order_;
  mutable std::deque<SweepTimes> times_;  ///< per thread
};

}  // namespace thimble
