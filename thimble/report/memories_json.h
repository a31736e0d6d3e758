// SPDX-License-Identifier: Apache-2.0
// What a plan takes of each memory, as reports write it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "thimble/analysis/traffic.h"
#include "thimble/plan/placed_plan.h"

namespace thimble {

/// A list of the arena and the others where something is laid out: name, kind, capacity_bytes (null
/// if none is known), peak_bytes, lower_bound_bytes, size_bytes, layout_proven_optimal, and what
/// the core waits for it.
[[nodiscard]] nlohmann::ordered_json memories_json(const PlacedPlan& plan,
                                                   const std::vector<MemoryWaits>& waits);

}  // namespace thimble
