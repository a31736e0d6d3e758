// SPDX-License-Identifier: Apache-2.0
// Networks whose weights, or maps, lie in block storage: a chain of pieces between cuts where one
// value is live, each with its tiles, and that value in SRAM or in storage (SwapNN, section IV, is
// one such plan: every piece one layer, every value in storage).
//
//   MobileNet, 64 KB      x | stem .. depthwise 3 | ...      rows of the input come from the
//   caller,
//                         |  weights of 4 layers stay         rows of the last go to the card
//                         | depthwise 13, 1x1 14 | ...       rows from the card, rows to it;
//                         weights of
//                                                             14 tile by tile, again for each band
//
// Every piece costs what it computes or, if that is more, what it moves; the least sum within so
// many bytes is a shortest path.
#pragma once

#include "thimble/planners/planner.h"

namespace thimble {

struct OutOfCoreOptions {
  std::optional<int64_t>
      weight_bytes;  ///< that flash has room for; nothing: all weights stay there
  std::optional<int64_t> buffer_bytes = {};  ///< layer by layer, as SwapNN has them
  double cycles_per_byte = 0;                ///< that a byte moved is taken to cost beside its time
};

/// Nothing if the network has no such cuts, or no pieces fit limits.sram_bytes. limits: with a
/// storage and a limit on SRAM.
[[nodiscard]] std::optional<Decision> out_of_core(const Graph& graph, const Limits& limits,
                                                  const OutOfCoreOptions& options);

}  // namespace thimble
