// SPDX-License-Identifier: Apache-2.0
// Packed constants that some calls of a plan bring from block storage: whole or in records, in
// front of their group or inside of its loops, ahead or not.
#pragma once

#include "thimble/analysis/axis_graph.h"
#include "thimble/plan/plan.h"
#include "zoo/random.h"

namespace thimble::testing {

struct BroughtCounts {
  int calls = 0, in_records = 0, ahead = 0, early = 0, in_loops = 0;
};

/// plan: without kernels, with a storage as its first further memory.
BroughtCounts bring_at_random(const AxisGraph& axes, zoo::Random& random, Plan& plan);

}  // namespace thimble::testing
