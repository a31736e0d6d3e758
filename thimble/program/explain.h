// SPDX-License-Identifier: Apache-2.0
// Which kernel executes each step, what it costs on a core, and what the next best would.
#pragma once

#include <optional>
#include <vector>

#include "thimble/program/program.h"
#include "thimble/target/core.h"
#include "thimble/target/latency.h"

namespace thimble {

/// A row of the kernel table for one step.
struct KernelCost {
  KernelId kernel;
  double instructions = 0;    ///< estimated, all executions; 0: no coefficients
  int64_t weight_bytes = 0;   ///< of flash, as it packs them
  int64_t scratch_bytes = 0;  ///< of the arena while it executes
};

/// The kernel of one step that calls one for an operator. A step with calls of several families (a
/// concatenation of rescaled parts) has that of the first, and no runner-up.
struct KernelChoice {
  Position position = 0;
  KernelCost taken;
  std::optional<KernelCost> runner_up;  ///< the fastest of the others that the core has
};

/// In the order of the schedule, which the program was lowered from. Others are those with
/// coefficients that take the step as it is, whatever the room for their scratch and weights.
[[nodiscard]] std::vector<KernelChoice> explain(const Graph& graph, const Schedule& schedule,
                                                const Program& program, Core core,
                                                const LatencyModel& model);

}  // namespace thimble
