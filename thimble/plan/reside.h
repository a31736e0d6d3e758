// SPDX-License-Identifier: Apache-2.0
// Buffers over several memories, where the arena alone is too small: those that are touched most
// in the fastest (docs/memories.md).
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

/// The plan with residences, all that it needs within what memories may take, and laid out again.
/// First one buffer at a time moves out of a memory that is too small: the one that takes the most
/// off the bytes beyond, summed over all steps, into the first memory where it does. Then buffers
/// that make the core wait move to faster memories, and colder ones out of their way, as long as
/// the wait grows less. Nothing if bytes beyond are left, or after some rounds whose layouts need
/// more than what is live. A greedy search: a "no" proves nothing.
[[nodiscard]] std::optional<RealisedPlan> resident(const Graph& graph, const RealisedPlan& plan,
                                                   const UsableMemories& usable,
                                                   const PlacementOptions& options);

}  // namespace thimble
