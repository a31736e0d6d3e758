// SPDX-License-Identifier: Apache-2.0
// Runs of an order as sweeps: some rows of what the last instance makes per tile of rows and,
// within, some columns per tile of columns. Of each value between, the rows that successive tiles
// share are kept, or computed again: wide ones again, narrow ones kept (docs/planners.md).
//
//   x > expand t > depthwise/2 u > project y        one row of y at a time, t again
//
//   loop {paced y, rows, step 1, roll; t recompute}
//     loop {paced y, columns, step 0, roll}     expand: 3 rows of t    depthwise: 1 of u    project
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "thimble/model/time_limit.h"
#include "thimble/moves/sweep_clocks.h"
#include "thimble/moves/sweep_labels.h"
#include "thimble/plan/plan.h"

namespace thimble {

/// Positions [begin, end) of an order as one group, and what that comes to.
struct Sweep {
  int begin = 0, end = 0;
  SweepTile tile;
  std::vector<ValueId> recomputed;          ///< rows of these, or there is nothing to keep of them
  std::vector<ValueId> recomputed_columns;  ///< columns, too, of some of these
  std::optional<OverlapChoice> overlap;     ///< an output of it over a consumed input
  int64_t lead_bytes = 0;                   ///< of the overlap
  int64_t bytes = 0;                        ///< live while it runs
  int64_t macs = 0;                         ///< as executed
  double instructions = 0;                  ///< estimated
};

struct SweepOptions {
  bool in_place = true;             ///< outputs may lie over inputs
  bool recomputes = true;           ///< values may be computed again
  bool recomputes_columns = false;  ///< not only rows: of use where rows are short
  /// More than the network's, in one sweep; kAnyMacs: they do not count.
  int64_t most_recomputed_macs = kAnyMacs;
  int most_instances = 128;  ///< in a group
  int most_labels = 16;      ///< per run and tile: choices of values to compute again, at the most
  int jobs = 1;              ///< threads
  const TimeLimit* time = nullptr;  ///< past it, no more are looked for
};

}  // namespace thimble
