// SPDX-License-Identifier: Apache-2.0
// All sweeps with one end and one tile, in one pass from there backwards (docs/planners.md).
#pragma once

#include "thimble/moves/sweep_clocks.h"
#include "thimble/moves/sweep_end.h"
#include "thimble/moves/sweep_times.h"

namespace thimble {

/// Adds what it finds to `end`.
void find_sweeps(const SweepOrder& order, SweepTimes& times, SweepClocks& clocks,
                 const SweepTile& tile, SweepEnd& end);

}  // namespace thimble
