// SPDX-License-Identifier: Apache-2.0
// An order of operators, cut into single operators and pieces of several that execute together.
//
// f(i), the least peak of the first i operators, is the least over the last piece [j, i) of
// max(f(j), bytes(j, i)); among equal peaks the one with the fewest operators in pieces, so that
// nothing is in a piece without gain.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace thimble {

/// Operators [begin, end) of an order, at least two of them or one in another way.
struct CutPiece {
  int begin = 0, end = 0;
  int64_t bytes = 0;  ///< live while it executes
};

struct BestCut {
  std::vector<int> pieces;  ///< indices of those chosen, ascending
  int64_t peak_bytes = 0;
};

/// single_bytes: live while each operator executes alone. Peaks up to `enough_bytes` count as
/// equal.
[[nodiscard]] BestCut best_cut(const std::vector<int64_t>& single_bytes,
                               const std::vector<CutPiece>& pieces, int64_t enough_bytes = 0);

}  // namespace thimble
