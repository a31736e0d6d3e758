// SPDX-License-Identifier: Apache-2.0
// What is decided of a model, as it is kept, verified, lowered and drawn.
#pragma once

#include <string>
#include <vector>

#include "thimble/plan/placement.h"

namespace thimble {

/// A planner's answer with addresses, and what is needed to form the same graph again.
struct PlacedPlan {
  std::string planner;
  Schedule schedule;
  Placement placement;
  std::vector<Accumulator> accumulators;  ///< sums of less than 32 bits: lossy
  std::string scale_source;               ///< of the accumulators: where the scales are from
  int64_t port_alignment = 1;             ///< of ports in arenas (port_alignment.h)
};

}  // namespace thimble
