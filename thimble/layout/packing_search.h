// SPDX-License-Identifier: Apache-2.0
// Depth-first search for a layout within a capacity, buffers placed from the lowest address
// upwards.
//
// In a layout that is pushed down as far as it goes, every buffer stands at 0 or on top of one that
// stands lower. So it is enough to enumerate placements by ascending address, each buffer at the
// lowest address that those already placed leave (its floor): a node of the tree chooses the next
// one. What cuts the tree:
//  - capacity: in each section the lowest floor, or the address reached, plus all that is unplaced
//    must fit;
//  - dominance: what would fit entirely below the address chosen should have been placed before;
//  - order: of equal addresses the better rank is placed first, and a buffer passed over must still
//    be lifted by some neighbour, for nobody may have a floor and not stand on it;
//  - symmetry: of buffers alike, the first is placed first;
//  - buffers without unplaced neighbours cost nothing; what falls apart in time is solved apart.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "thimble/layout/layout.h"
#include "thimble/layout/sweep.h"

namespace thimble::layout {

enum class SearchOutcome { kFound, kNone, kStopped };

/// What all searches of one problem have together. They count down the work.
struct SearchBudget {
  int64_t work = 0;  ///< in buffers and conflicts looked at
  const TimeLimit* time = nullptr;
  [[nodiscard]] bool spent() const { return work <= 0 || late(time); }
};

class PackingSearch {
 public:
  /// The problem must outlive the search and have no fixed addresses.
  PackingSearch(const Problem& problem, const Sweep& sweep);

  /// Whether kNone proves that no layout exists: not if some overlap lets the upper of two buffers
  /// decide where the lower one stands (same address, negative lead). Those are used as far as they
  /// go without that.
  [[nodiscard]] bool complete() const { return complete_; }

  /// `order`: all buffers, the preferred first. Stops after max_nodes or when the budget is spent.
  SearchOutcome run(int64_t capacity_bytes, const std::vector<int>& order, int64_t max_nodes,
                    SearchBudget& budget);

  [[nodiscard]] const std::vector<int64_t>& addresses() const { return address_; }  ///< if found
  [[nodiscard]] int64_t nodes() const { return nodes_; }  ///< over all runs
  /// Per buffer: how often, in the last run, it was unplaced in a section that could not hold it
  /// any more, or was lifted above the capacity.
  [[nodiscard]] const std::vector<int64_t>& blame() const { return blame_; }

 private:
  struct Lift {
    int other;
    int64_t bytes;  ///< address(other) is at least address(this) + bytes, if other is placed later
  };
  struct Share {
    int other;
    int64_t bytes;  ///< that both may hold at once
    std::vector<int> sections;
  };
  struct Trail {
    int buffer;
    int64_t floor;  ///< to be restored
  };
  struct Candidate {
    int64_t address;
    int rank;
    int buffer;
    bool operator<(const Candidate& o) const {
      return address != o.address ? address < o.address : rank < o.rank;
    }
  };
  struct Level {
    int64_t address = 0;
    int rank = -1;  ///< candidates of this address and a better rank were passed over
  };

  void find_lifts();
  void find_shares();
  SearchOutcome solve(const std::vector<int>& unplaced, Level level);
  SearchOutcome solve_part(const std::vector<int>& part, Level level);
  [[nodiscard]] std::vector<std::vector<int>> split(const std::vector<int>& unplaced) const;
  [[nodiscard]] std::vector<Candidate> candidates(const std::vector<int>& part, Level level);
  [[nodiscard]] bool can_be_lifted(int buffer) const;
  bool place(int buffer, int64_t address);
  void take_back(size_t placed_mark, size_t trail_mark);
  bool sections_fit(int64_t address);
  bool out_of_budget(size_t unplaced);

  const Problem& problem_;
  const Sweep& sweep_;
  bool complete_ = true;
  const int64_t unit_;           ///< divides every alignment
  std::vector<int64_t> padded_;  ///< sizes, up to the unit
  std::vector<std::vector<Lift>> lifts_;
  std::vector<std::vector<Share>> shares_;
  std::vector<bool> ties_;  ///< has a lift of 0: equal addresses in any order
  std::vector<int> twin_;   ///< the buffer before it that is alike, or -1
  std::vector<int64_t> initial_left_;

  int64_t capacity_ = 0, capacity_padded_ = 0;
  std::vector<int> rank_;
  std::vector<int64_t> address_, floor_;  ///< address -1: unplaced
  std::vector<int> unplaced_neighbours_;
  std::vector<int64_t> left_;  ///< per section: unplaced bytes, permitted sharing applied
  std::vector<int> dirty_;     ///< sections to check
  std::vector<bool> is_dirty_;
  std::vector<int> placed_;
  std::vector<Trail> trail_;
  std::vector<int64_t> blame_;
  int64_t nodes_ = 0, last_node_ = 0;
  int64_t looks_ = 0;               ///< since the last node
  SearchBudget* budget_ = nullptr;  ///< of the run
};

}  // namespace thimble::layout
