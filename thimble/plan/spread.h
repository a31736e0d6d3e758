// SPDX-License-Identifier: Apache-2.0
// Buffers over several memories, where the arena alone is too small (docs/memories.md).
//
//   x -> a -> b, x + b -> y, 256 B each     arena 512 B, sram_2 300 B
//   all in the arena: 768 B                 x, which lives across a and b, in sram_2: 512 + 256 B
#pragma once

#include <optional>
#include <vector>

#include "thimble/plan/placement.h"
#include "thimble/target/target.h"

namespace thimble {

/// The memories that a schedule for the target can use. The arena is the largest run of on-chip
/// banks that touch; behind it come the other runs, in order of preference, then external RAM if it
/// is wanted. A second run of the same memory is called "sram_2".
[[nodiscard]] std::vector<ScheduleMemory> schedule_memories(const Target& target,
                                                            bool external_ram);

struct SpreadSchedule {
  Schedule schedule;  ///< with the memories, and buffers moved
  Placement placement;
};

/// Moves buffers out of memories that are too small, one at a time: the one that takes the most off
/// the bytes beyond capacity, summed over all steps, into the first memory where it does. Nothing
/// if no such move is left, or after some rounds whose layouts need more than what is live. The
/// schedule has the four common memories only, all of them without capacity.
[[nodiscard]] std::optional<SpreadSchedule> spread(const Graph& graph, const Schedule& schedule,
                                                   const std::vector<ScheduleMemory>& memories,
                                                   const PlacementOptions& options);

}  // namespace thimble
