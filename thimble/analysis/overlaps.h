// SPDX-License-Identifier: Apache-2.0
// How far two buffers that are live together may overlap: the output of an operator over those
// bytes of its input that are no longer needed, at the grain of the kernel's progress.
//
//   in    |rrrrrrr..........|      '.': still to be read
//   out |wwwww              |      address(out) + lead <= address(in), where lead is the most, over
//          ^ written so far        time, of (bytes written) - (first byte still needed)
#pragma once

#include <optional>
#include <vector>

#include "thimble/schedule/schedule.h"
#include "thimble/target/kernels/kernel_uses.h"

namespace thimble {

/// address(out) + lead_bytes <= address(in), or disjoint; or, if same_address, address(out) =
/// address(in).
struct Overlap {
  BufferId out, in;
  std::optional<int64_t> lead_bytes;
  bool same_address = false;
  bool operator==(const Overlap&) const = default;
};

/// One entry per Share of the schedule for which anything can be shared. Found by walking the
/// schedule as executed, so it holds for whole operators, loops and rings of other members alike.
[[nodiscard]] std::vector<Overlap> overlaps(const Graph& graph, const Schedule& schedule,
                                            const KernelUses& uses);
[[nodiscard]] std::vector<Overlap> overlaps(const Graph& graph, const Schedule& schedule);

}  // namespace thimble
