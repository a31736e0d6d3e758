// SPDX-License-Identifier: Apache-2.0
// Search through time for layouts that leave their unused bytes in few places.
//
// From one section to the next, the buffers that end leave holes, and those that begin fill them.
// In what order buffers lie above each other is left open as long as it can be: a state is the set
// of all orders of what is live, as a PQ-tree. What ends in one hole is contiguous, and so is what
// fills it, in any order.
//
//   +------+-----+    Where a and b end and c, d, e begin, of sizes 3, 2 and 3, 1, 1: either a
//   |  b   |  d  |    becomes c and b becomes {d e}, wherever they lie; or a and b lie side by
//   +------+  e  |    side and become {c d e}.
//   | ...  | ... |
//   +------+-----+    What always is contiguous is in one hole: without another choice, nothing
//   |  a   |  c  |    is lost by taking it for one if all is used.
//   +------+-----+
//
// What no buffer uses is live, too, as gaps: what is left of a hole that is not filled is a gap
// until a later hole takes it in.
//
// Kept are the states behind each boundary that have the most layouts so far, and in whose holes
// most fits exactly, which is seldom chance. This finds layouts and proves nothing.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "thimble/layout/hole_filling.h"
#include "thimble/layout/packing_search.h"
#include "thimble/layout/sweep.h"

namespace thimble::layout {

class SequenceSearch {
 public:
  SequenceSearch(const Problem& problem, const Sweep& sweep);

  /// Whether the search may run where NicheSearch may: equal alignments, lives without gaps.
  [[nodiscard]] static bool applies(const Problem& problem, const Sweep& sweep);

  /// An attempt in each direction, then more until so much work is done. kNone never.
  SearchOutcome run(int64_t capacity_bytes, int64_t work, SearchBudget& budget);

  [[nodiscard]] const std::vector<int64_t>& addresses() const { return addresses_; }  ///< if found
  [[nodiscard]] int64_t nodes() const { return nodes_; }  ///< states, over all runs

 private:
  const int64_t unit_;
  /// Buffers in the direction of the search, forward or backward.
  struct Flow {
    std::vector<Item> buffers;
    std::vector<Items> begins, ends;  ///< per boundary before a section
    std::vector<int64_t> bytes;       ///< live, per section
    int64_t quantum = 0;              ///< divides all bytes
  };
  class Beam;
  struct Options;
  [[nodiscard]] Flow flow_of(const Problem& problem, const Sweep& sweep, bool backward) const;
  [[nodiscard]] Options next_options();

  const Flow forward_, backward_;
  std::mt19937 random_{1};
  int number_ = 0;  ///< of attempts
  std::vector<int64_t> addresses_;
  int64_t nodes_ = 0;
};

}  // namespace thimble::layout
