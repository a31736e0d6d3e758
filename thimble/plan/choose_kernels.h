// SPDX-License-Identifier: Apache-2.0
// Which row of the table executes each step, and where the buffers lie then: the core's fast
// kernels, where there is room for their scratch.
#pragma once

#include <optional>

#include "thimble/plan/placement.h"
#include "thimble/target/core.h"

namespace thimble {

struct KernelRoom {
  int64_t live_bytes = 0;     ///< at most at any step, its scratch included
  int64_t scratch_bytes = 0;  ///< at most for a kernel that can do with less
};
/// Each step with the kernel that suits it best among those of the core that take it and for whose
/// scratch there is room; the others are left with the portable one.
[[nodiscard]] Schedule with_kernels(const Graph& graph, Schedule schedule, const Core& core,
                                    const KernelRoom& room);

struct PlacedSchedule {
  Schedule schedule;
  Placement placement;
};
/// The arena is no larger than with portable kernels alone, or than `sram_bytes`, if that is more;
/// without a limit an eighth larger at most.
[[nodiscard]] PlacedSchedule place_with_kernels(const Graph& graph, Schedule schedule,
                                                const Core& core, std::optional<int64_t> sram_bytes,
                                                const PlacementOptions& options);

}  // namespace thimble
