// SPDX-License-Identifier: Apache-2.0
// Schedule -> addresses: the buffers' lives and shares as a static allocation problem, and its
// solution.
#pragma once

#include "thimble/layout/layout.h"
#include "thimble/schedule/schedule.h"

namespace thimble {

enum class LayoutMethod : uint8_t { kExact, kGreedyBySize };

struct PlacementOptions {
  LayoutMethod method = LayoutMethod::kExact;
  int64_t work = layout::kSearchWork;  ///< of the exact search
  const TimeLimit* time = nullptr;     ///< the safety net of all searches
};

/// Addresses of a schedule's buffers. In bytes; the three sizes as DESIGN.md defines them:
/// peak <= lower bound <= arena.
struct Placement {
  std::vector<int64_t> addresses;  ///< one per buffer of the schedule; 0 outside of the arena
  int64_t peak_bytes = 0;         ///< largest sum of live bytes, unaligned; shared bytes count once
  int64_t lower_bound_bytes = 0;  ///< the same with alignment
  int64_t arena_bytes = 0;
  bool proven_optimal = false;
};

/// alignment_1: as if every type could lie anywhere (for peak_bytes). What lies outside of the
/// arena has size 0.
[[nodiscard]] layout::Problem layout_problem(const Graph& graph, const Schedule& schedule,
                                             bool alignment_1);
[[nodiscard]] Placement place(const Graph& graph, const Schedule& schedule,
                              const PlacementOptions& options);

/// Bytes live at each position (shared bytes once, unaligned).
[[nodiscard]] std::vector<int64_t> live_bytes(const Graph& graph, const Schedule& schedule);

}  // namespace thimble
