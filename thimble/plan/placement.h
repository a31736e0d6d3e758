// SPDX-License-Identifier: Apache-2.0
// Schedule -> addresses: per memory, the buffers' lives and shares as a static allocation problem,
// and its solution.
#pragma once

#include "thimble/layout/layout.h"
#include "thimble/schedule/schedule.h"
#include "thimble/target/kernels/kernel_uses.h"

namespace thimble {

enum class LayoutMethod : uint8_t { kExact, kGreedyBySize };

struct PlacementOptions {
  LayoutMethod method = LayoutMethod::kExact;
  int64_t work = layout::kSearchWork;  ///< of the exact search
  const TimeLimit* time = nullptr;     ///< the safety net of all searches
  const KernelUses* uses = nullptr;    ///< of the graph, where they are known
};

/// What a schedule takes of one memory. The three sizes as DESIGN.md defines them:
/// peak <= lower bound <= size.
struct MemoryPlacement {
  int64_t peak_bytes = 0;         ///< largest sum of live bytes, unaligned; shared bytes count once
  int64_t lower_bound_bytes = 0;  ///< the same with alignment
  int64_t size_bytes = 0;         ///< what the layout needs; of the arena: arena_bytes
  bool proven_optimal = false;
};

/// Addresses of a schedule's buffers, in bytes from the start of their memories.
struct Placement {
  std::vector<int64_t> addresses;  ///< one per buffer of the schedule; 0 where nothing is laid out
  std::vector<MemoryPlacement> memories;  ///< one per memory of the schedule

  /// The arena, and the others where something is laid out.
  [[nodiscard]] std::vector<MemoryId> in_use() const;
  [[nodiscard]] const MemoryPlacement& memory(MemoryId id) const { return memories.at(id.index()); }
  [[nodiscard]] const MemoryPlacement& arena() const { return memories.at(kArena.index()); }
  [[nodiscard]] int64_t arena_bytes() const { return arena().size_bytes; }
};

/// The buffers of one memory; those of others have size 0. alignment_1: as if every type could lie
/// anywhere (for peak_bytes).
[[nodiscard]] layout::Problem layout_problem(const Graph& graph, const Schedule& schedule,
                                             bool alignment_1, MemoryId memory = kArena);
/// Addresses of the buffers with bytes, into `addresses`; the others' stay as they are.
[[nodiscard]] MemoryPlacement lay_out(const layout::Problem& problem,
                                      const PlacementOptions& options,
                                      std::vector<int64_t>& addresses);
/// Does not look at capacities: sizes may exceed them (beyond_capacity).
[[nodiscard]] Placement place(const Graph& graph, const Schedule& schedule,
                              const PlacementOptions& options);
/// Sizes from addresses that come from elsewhere, one per buffer, none below 0; no bounds.
[[nodiscard]] Placement placement_at(const Schedule& schedule, std::vector<int64_t> addresses);

/// What lies in the memory takes of it: of storage that is erased, whole blocks.
[[nodiscard]] int64_t bytes_taken(const ScheduleMemory& memory, const MemoryPlacement& placement);
/// The first memory of which more is taken than there is.
[[nodiscard]] std::optional<MemoryId> beyond_capacity(const Schedule& schedule,
                                                      const Placement& placement);

/// Bytes of one memory live at each position (shared bytes once, unaligned).
[[nodiscard]] std::vector<int64_t> live_bytes(const Graph& graph, const Schedule& schedule,
                                              MemoryId memory = kArena,
                                              const KernelUses* uses = nullptr);

}  // namespace thimble
