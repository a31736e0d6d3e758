// SPDX-License-Identifier: Apache-2.0
// Search for layouts that leave their unused bytes in few places (padding.h): each attempt pads the
// problem in another way, merges rooms (rooms.h) and searches what is left by niches.
//
// The ways are a local search: the one with the fewest blocks left so far, with a few choices made
// anew. Without unused bytes there is nothing to pad: then what differs is how much chance is taken
// for rooms, and which blocks are merged on top of that (merging.h). Where the padding or a room is
// wrong there is no layout; that proves nothing.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "thimble/layout/blocks.h"
#include "thimble/layout/packing_search.h"
#include "thimble/layout/sweep.h"

namespace thimble::layout {

class RoomSearch {
 public:
  /// Both must outlive the search.
  RoomSearch(const Problem& problem, const Sweep& sweep);

  /// Whether the search may run where NicheSearch may: equal alignments, lives without gaps.
  [[nodiscard]] static bool applies(const Problem& problem, const Sweep& sweep);

  /// A few attempts, of max_nodes for each order, then more until so much work is done. kNone
  /// never.
  SearchOutcome run(int64_t capacity_bytes, int64_t work, int64_t max_nodes, SearchBudget& budget);

  [[nodiscard]] const std::vector<int64_t>& addresses() const { return addresses_; }  ///< if found
  [[nodiscard]] int64_t nodes() const { return nodes_; }  ///< over all runs

 private:
  struct Attempt {
    std::vector<Block> padding;
    double doubt;
    bool operator==(const Attempt&) const = default;
  };
  SearchOutcome search_by_chance(int64_t least_left, SearchBudget& budget);
  bool prepare(SearchBudget& budget);
  [[nodiscard]] std::vector<uint32_t> other_choices();
  SearchOutcome search(const std::vector<Block>& blocks, int64_t max_nodes, SearchBudget& budget);

  const int64_t unit_, quantum_;
  const int sections_;
  std::vector<Block> blocks_;    ///< one per buffer that is live
  std::vector<int64_t> used_;    ///< bytes per section
  int64_t capacity_ = 0;         ///< of the run
  std::vector<int64_t> unused_;  ///< likewise

  std::mt19937 random_{1};   ///< of choices
  std::mt19937 merging_{1};  ///< of what is merged
  int number_ = 0;
  std::vector<Attempt> tried_;  ///< in this run; the last is at hand
  std::vector<uint32_t> choices_, best_choices_;
  size_t fewest_;
  std::vector<int64_t> addresses_;
  int64_t nodes_ = 0;
};

}  // namespace thimble::layout
