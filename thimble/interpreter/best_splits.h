// SPDX-License-Identifier: Apache-2.0
// Which runs of an order to split, and into how many parts, so that the interpreter's arena is
// least: what it holds at a time (tensors whole, nothing in place, an input and the parts of an
// output until both are done with), and a structure for each tensor, operator and channel.
#pragma once

#include <cstdint>
#include <vector>

#include "thimble/interpreter/split.h"

namespace thimble {

struct BestSplits {
  std::vector<Split> splits;  ///< ascending, disjoint
  int64_t peak_bytes = 0;     ///< largest sum of live bytes, each a multiple of 16
  int64_t more_bytes = 0;     ///< of structures
  int64_t more_macs = 0;      ///< computed again
};

/// The least peak and structures together that splits come to with at most `max_macs` computed
/// again. For each peak the cut with the fewest structures is looked at, and that with the fewest
/// MACs: of runs of up to 16 operators, in the numbers of parts that are tried, until so much work
/// is done; the order stays.
[[nodiscard]] BestSplits best_splits(const Graph& graph, int64_t max_macs);

/// The graph in the order with the smallest such peak, if that is less than its own.
[[nodiscard]] Graph reordered(const Graph& graph);

}  // namespace thimble
