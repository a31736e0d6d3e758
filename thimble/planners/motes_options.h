// SPDX-License-Identifier: Apache-2.0
// What the planner `motes` is told (docs/planners.md).
#pragma once

#include <optional>
#include <vector>

#include "thimble/moves/partition.h"
#include "thimble/planners/planner_options.h"

namespace thimble {

struct MotesOptions {
  double max_latency = 1.05;  ///< delta
  int64_t beam = 8;           ///< beta
  int64_t most_parts = 16;    ///< of blocks, each of which is written down
  int64_t reach = 32;         ///< instances around the peak that a scheme may begin or end with
  int64_t schemes = 24;       ///< per round
  std::optional<int64_t> most_steps;  ///< beyond one per instance
  bool paper_accounting = false;
  enum class Orders : uint8_t { kNarrowEarly, kLeast, kPostOrder } order = Orders::kNarrowEarly;
  std::vector<Windows> windows = {Windows::kBlocks, Windows::kRings};
};

/// Throws CompileError.
[[nodiscard]] MotesOptions motes_options(const PlannerOptions& given);

}  // namespace thimble
