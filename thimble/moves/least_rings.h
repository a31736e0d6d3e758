// SPDX-License-Identifier: Apache-2.0
// Bytes that values take at the least when they roll, whatever the phases: what one position of a
// reader needs at a time. A bound for groups that nobody has derived.
//
//   t 32 x 32 x 4 > depthwise 3x3        3 rows, 384 B; by pixels 2 rows and 3 pixels, 268 B
#pragma once

#include "thimble/plan/dataflow.h"

namespace thimble {

struct LeastRing {
  int64_t by_rows = 0, by_pixels = 0;  ///< bytes; 0 of what is no image or not in the arena
};

/// Per value, where all of its readers follow_rows. size_bytes: per value, in the arena.
[[nodiscard]] std::vector<LeastRing> least_rings(const Dataflow& dataflow,
                                                 const std::vector<int64_t>& size_bytes);

/// Whether what the instance makes and reads, where that is inside of a loop over rows, follows it
/// along its own rows, or is summed along them.
[[nodiscard]] bool follows_rows(const Dataflow& dataflow, InstanceId id);

}  // namespace thimble
