// SPDX-License-Identifier: Apache-2.0
// Buffers over several memories: those that are touched most in the fastest, as far as these have
// room (docs/memories.md).
//
//   x -> a -> b, x + b -> y, 256 B each     arena 512 B, sram_2 300 B
//   all in the arena: 768 B                 x, which lives across a and b, in sram_2: 512 + 256 B
#pragma once

#include <optional>
#include <vector>

#include "thimble/plan/realise.h"

namespace thimble {

/// What is kept between inferences lies in a memory of this name, if there is one, and nothing
/// else.
inline constexpr const char* kStateMemory = "state";

/// The memories that a plan may use: what a schedule begins with and others behind.
struct UsableMemories {
  std::vector<ScheduleMemory> memories = common_memories();
  std::vector<int64_t> usable_bytes;  ///< per memory: less than its capacity where others have some
  /// Whether there are others than those a schedule begins with.
  [[nodiscard]] bool has_several() const { return memories.size() > kFirstFurtherMemory.index(); }
};

/// The plan with residences, all that it needs within what memories may take, and laid out again:
/// of all places of its buffers the ones for which the core waits least (assign_memories.h, with
/// the bytes of traffic.h). Where a layout needs more than what is live, that memory has so much
/// less to offer, and all is placed anew; nothing after some rounds of that, or where no places
/// were found. A "no" proves something only where few buffers are live at once.
[[nodiscard]] std::optional<RealisedPlan> resident(const Graph& graph, const RealisedPlan& plan,
                                                   const UsableMemories& usable,
                                                   const PlacementOptions& options);

}  // namespace thimble
