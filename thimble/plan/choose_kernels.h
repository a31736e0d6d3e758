// SPDX-License-Identifier: Apache-2.0
// Which row of the table executes each step, and where the buffers lie then: the core's fast
// kernels, where there is room for their scratch.
#pragma once

#include <optional>
#include <set>
#include <utility>

#include "thimble/plan/placement.h"
#include "thimble/target/core.h"

namespace thimble {

/// Kernels that steps are not to have, by position in the schedule.
using AvoidedKernels = std::set<std::pair<Position, KernelId>>;

struct KernelRoom {
  int64_t live_bytes = 0;     ///< at most at any step, its scratch included
  int64_t scratch_bytes = 0;  ///< at most for a kernel that can do with less
};
/// Each step with the first row of the table among those of the core that take it and for whose
/// scratch there is room, `avoided` left out; the others are left with the portable one.
[[nodiscard]] Schedule with_kernels(const Graph& graph, Schedule schedule, const Core& core,
                                    const KernelRoom& room, const AvoidedKernels& avoided = {});

/// Whether any of its steps has another than the portable one.
[[nodiscard]] bool names_kernels(const Schedule& schedule);

struct PlacedSchedule {
  Schedule schedule;
  Placement placement;
};
/// The arena is no larger than with portable kernels alone, or than `sram_bytes`, if that is more;
/// without a limit an eighth larger at most.
[[nodiscard]] PlacedSchedule place_with_kernels(const Graph& graph, Schedule schedule,
                                                const Core& core, std::optional<int64_t> sram_bytes,
                                                const PlacementOptions& options,
                                                const AvoidedKernels& avoided = {});

}  // namespace thimble
