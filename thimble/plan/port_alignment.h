// SPDX-License-Identifier: Apache-2.0
// Ports in arenas that begin at multiples of a number of bytes and end so, as far as anything else
// is concerned: of a cache line, or of what a DMA wants.
//
//   --align-ports 32, an input of 490 B    at 96, and nothing else of the arena in [96, 608)
#pragma once

#include <cstdint>
#include <string>

#include "thimble/plan/placed_plan.h"

namespace thimble {

constexpr int64_t kLeastPortAlignment = 16, kMostPortAlignment = kMostMemoryAlignment;

/// Whether a port lies in memory that is laid out.
[[nodiscard]] bool has_placed_ports(const Schedule& schedule);
/// Bytes that aligning them can cost at most.
[[nodiscard]] int64_t most_alignment_bytes(const Graph& graph, int64_t bytes);

/// Places the plan anew with its ports aligned to `bytes`, a power of two.
void align_ports(const Graph& graph, int64_t bytes, const PlacementOptions& options,
                 PlacedPlan& plan);

/// Of a plan whose sizes were found from its addresses: with what its ports take beside their
/// bytes.
void add_port_bytes(PlacedPlan& plan);
/// Empty, or how the plan does not keep what it says of its ports.
[[nodiscard]] std::string port_alignment_fault(const PlacedPlan& plan);

}  // namespace thimble
