// SPDX-License-Identifier: Apache-2.0
// Runs of an order as sweeps: some rows of what the last instance makes per tile of rows and,
// within, some columns per tile of columns. Of each value between, the rows that successive tiles
// share are kept, or computed again: wide ones again, narrow ones kept (docs/planners.md).
//
//   x > expand t > depthwise/2 u > project y        one row of y at a time, t again
//
//   loop {paced y, rows, step 1, roll; t again}
//     loop {paced y, columns, step 0, roll}     expand: 3 rows of t    depthwise: 1 of u    project
//
// All runs that end at a position are found in one pass from there backwards: which rows a value is
// needed from follows from its readers alone.
#pragma once

#include <deque>
#include <memory>

#include "thimble/model/time_limit.h"
#include "thimble/moves/candidate.h"
#include "thimble/moves/sweep_clocks.h"
#include "thimble/moves/sweep_times.h"
#include "thimble/moves/sweep_ways.h"
#include "thimble/plan/evaluate.h"
#include "thimble/plan/latency_estimate.h"
#include "thimble/plan/order_plan.h"

namespace thimble {

struct SweepOrder;

/// Positions [begin, end) of an order as one group, and what that comes to.
struct Sweep {
  int begin = 0, end = 0;
  SweepTile tile;
  std::vector<ValueId> again;            ///< rows of these, or there is nothing to keep of them
  std::vector<ValueId> columns_again;    ///< columns, too, of some of these
  std::optional<OverlapChoice> overlap;  ///< an output of it over a consumed input
  int64_t lead_bytes = 0;                ///< of the overlap
  int64_t bytes = 0;                     ///< live while it runs
  int64_t macs = 0;                      ///< as executed
  double instructions = 0;               ///< estimated
};

struct SweepOptions {
  bool in_place = true;        ///< outputs may lie over inputs
  bool recomputes = true;      ///< values may be computed again
  bool columns_again = false;  ///< not only rows: of use where rows are short
  /// More than the network's, in one sweep; kAnyMacs: they do not count.
  int64_t most_macs_again = kAnyMacs;
  int most_instances = 128;  ///< in a group
  int most_ways = 16;        ///< per run and tile: choices of values to compute again, at the most
  int jobs = 1;              ///< threads
  const TimeLimit* time = nullptr;  ///< past it, no more are looked for
};

class Sweeps {
 public:
  /// All must outlive it.
  Sweeps(const Dataflow& dataflow, const OrderBytes& bytes, const std::vector<int>& order,
         LatencyEstimate& latency, const SweepOptions& options);
  ~Sweeps();

  /// Runs that need less than the most that one of their instances needs otherwise, per position;
  /// ascending by end, then by begin. None of those with the same ends is as good as another in
  /// bytes, instructions and, if they are limited, MACs.
  [[nodiscard]] std::vector<Sweep> all(const std::vector<SweepTile>& tiles,
                                       const std::vector<int64_t>& otherwise_bytes) const;
  /// Sweeps that end at `end`.
  [[nodiscard]] std::vector<Sweep> ending_at(int end, const std::vector<SweepTile>& tiles,
                                             const std::vector<int64_t>& otherwise_bytes) const {
    return ending_at(end, tiles, otherwise_bytes, times_.front());
  }
  /// With its group.
  [[nodiscard]] GroupCandidate candidate(const Sweep& sweep) const;

 private:
  [[nodiscard]] std::vector<Sweep> ending_at(int end, const std::vector<SweepTile>& tiles,
                                             const std::vector<int64_t>& otherwise_bytes,
                                             SweepTimes& times) const;

  std::unique_ptr<SweepOrder> order_;
  mutable std::deque<SweepTimes> times_;  ///< per thread
};

}  // namespace thimble
