// SPDX-License-Identifier: Apache-2.0
// An order of operators, cut into single operators and pieces of several that execute together.
//
// f(i), the least cost of the first i operators, is the least over the last piece [j, i) of f(j)
// and the piece's: the larger peak, and among equal peaks the fewest narrow sums, then the fewest
// instructions (where they are known), then the fewest operators that execute pixel by pixel, and
// in pieces at all: so that nothing is lossy, slow or in a piece without gain.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

namespace thimble {

/// Worst first.
struct CutCost {
  int64_t peak_bytes = 0;
  int sums_of_8_bits = 0, sums_of_16_bits = 0;  ///< tensors
  int64_t more_instructions = 0;                ///< than the same operators one by one
  int by_pixels = 0;                            ///< operators
  int in_pieces = 0;                            ///< operators

  auto operator<=>(const CutCost&) const = default;
};

/// Operators [begin, end) of an order in another way than one by one.
struct CutPiece {
  int begin = 0, end = 0;
  CutCost cost;
};

struct BestCut {
  std::vector<int> pieces;  ///< indices of those chosen, ascending
  int64_t peak_bytes = 0;
};

/// single_bytes: live while each operator executes alone. The least peak; or, if `budget_bytes` is
/// more than that, the least cost with a peak of at most that.
[[nodiscard]] BestCut best_cut(const std::vector<int64_t>& single_bytes,
                               const std::vector<CutPiece>& pieces, int64_t budget_bytes = 0);

}  // namespace thimble
