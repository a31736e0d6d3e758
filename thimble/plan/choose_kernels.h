// SPDX-License-Identifier: Apache-2.0
// Which row of the table executes each step, and where the buffers lie then: the core's fast
// kernels, where their scratch costs no byte of the arena that is not there anyway.
#pragma once

#include <optional>

#include "thimble/plan/placement.h"
#include "thimble/target/core.h"

namespace thimble {

/// Each step with the kernel that suits it best among those of the core that take it and whose
/// scratch leaves what is live at most `room_bytes`; the others are left with the portable one.
[[nodiscard]] Schedule with_kernels(const Graph& graph, Schedule schedule, const Core& core,
                                    int64_t room_bytes);

struct PlacedSchedule {
  Schedule schedule;
  Placement placement;
};
/// The arena is no larger than with portable kernels alone, or than `sram_bytes`, if that is more.
[[nodiscard]] PlacedSchedule place_with_kernels(const Graph& graph, Schedule schedule,
                                                const Core& core, std::optional<int64_t> sram_bytes,
                                                const PlacementOptions& options);

}  // namespace thimble
