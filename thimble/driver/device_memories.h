// SPDX-License-Identifier: Apache-2.0
// The memories of a device beside the arena: other banks on chip, external RAM on request.
#pragma once

#include <vector>

#include "thimble/driver/driver.h"
#include "thimble/plan/choose_kernels.h"

namespace thimble {

/// Those that a plan may use; none: the arena is all there is. A limit of the user's is one for the
/// arena, and for all that is on chip. Throws CompileError where external RAM is asked for and the
/// device has none.
[[nodiscard]] std::vector<ScheduleMemory> device_memories(const Request& request);
/// With what the request leaves beside the arena taken off the smallest bank that has room for it,
/// or else off the arena.
[[nodiscard]] std::vector<ScheduleMemory> without_beside(std::vector<ScheduleMemory> memories,
                                                         const Request& request);
/// Any beside the arena?
[[nodiscard]] bool has_several(const std::vector<ScheduleMemory>& memories);
/// As if all were one.
[[nodiscard]] int64_t capacity_bytes(const std::vector<ScheduleMemory>& memories);

/// Moves what is kept between inferences into a memory of its own, if there is anything.
void keep_states_apart(const Graph& graph, const PlacementOptions& options, PlacedPlan& plan);

/// Moves buffers into further memories, where the arena is too small and they help.
void use_further_memories(const Graph& graph, const Request& request,
                          const PlacementOptions& options, PlacedPlan& plan);

}  // namespace thimble
