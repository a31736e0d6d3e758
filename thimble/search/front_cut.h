// SPDX-License-Identifier: Apache-2.0
// An order, cut into pieces, for two costs that add up and one that does not: of the first i
// operators, all ways that no other is as good as, in peak, time and, where they are limited, MACs.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

namespace thimble {

/// Where a piece puts one tensor over another: `out` lies at least `lead_bytes` below `in`, which
/// ends so much higher in the arena if it is to leave room for what comes later.
struct FrontOverlap {
  int out = -1, in = -1;
  int64_t lead_bytes = 0, in_bytes = 0;
  int in_made = -1;  ///< position of what makes `in`; -1: there before all
};

/// Operators [begin, end) of an order, some way.
struct FrontPiece {
  int begin = 0, end = 0;
  int64_t peak_bytes = 0;
  double time = 0;
  int64_t macs = 0;
  FrontOverlap overlap = {};  ///< no tensors: none
};

/// A cut of the whole order. The peak counts where tensors end that others lie over, one over the
/// other along the order.
struct FrontCut {
  std::vector<int> pieces;  ///< indices, ascending in position; they cover the order
  int64_t peak_bytes = 0;
  double time = 0;
  int64_t macs = 0;
};

struct FrontCutOptions {
  static constexpr int64_t kAny = std::numeric_limits<int64_t>::max();
  int64_t most_macs = 0;  ///< of a cut; kAny: they do not count
  double most_time = 0;
  int most_labels = 1;  ///< kept per position: more, and the front may lack some
  [[nodiscard]] bool counts_macs() const { return most_macs != kAny; }
};

/// Fewest bytes first. pieces: of `count` operators.
[[nodiscard]] std::vector<FrontCut> front_cuts(int count, const std::vector<FrontPiece>& pieces,
                                               const FrontCutOptions& options);

}  // namespace thimble
