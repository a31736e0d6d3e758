// SPDX-License-Identifier: Apache-2.0
// Where buffers are over time.
//
//   b, sram 256 B     steps [0, 3) in the arena, [3, 7) in psram, [7, 9) in the arena
//                     two transfers: arena -> psram before step 3, psram -> arena before step 7
#pragma once

#include <vector>

#include "thimble/schedule/schedule.h"

namespace thimble {

/// Steps, as written, during which a buffer is in one memory.
struct Stay {
  MemoryId memory;
  LiveRange steps;
  bool operator==(const Stay&) const = default;
};

/// In order, one behind the other.
using Residence = std::vector<Stay>;

/// All of a buffer moves from one memory to another.
struct Transfer {
  BufferId buffer;
  MemoryId from, to;
  Position before = 0;  ///< the step that finds it there
  bool operator==(const Transfer&) const = default;
};
/// The transfers between stays, by buffer.
[[nodiscard]] std::vector<Transfer> transfers(const std::vector<Residence>& residences);

}  // namespace thimble
