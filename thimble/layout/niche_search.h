// SPDX-License-Identifier: Apache-2.0
// Depth-first search for a layout within a capacity, that goes on where there is the least choice.
//
// Take a layout whose addresses have the least sum: every buffer stands at 0 or on top of
// another, and none could move to a lower gap. The search keeps for each buffer its rest, the
// lowest address that those placed leave, and its floor, the lowest at which it can still be. A
// niche is a section from whose lowest floor, its ground, no buffer can be lifted by one further
// down:
//
//        |     |             Some buffer whose rest is the ground stands there; or none does:
//     | a|     |  c |        then all of the section are lifted to the next address that one of
//     +--+-----+----+        them can have, and the bytes between are wasted.
//         niche
//
// A node takes the niche with the fewest answers, and earlier one where searches failed. Inference:
//  - sections: what is unplaced must fit above the floors (the bound of one machine with release
//    dates), and who cannot be the first of a section stands on top of one that can;
//  - support: whoever was lifted above its rest stands on an unplaced buffer that bars it from
//    there; whom none can bar stands at its rest;
//  - symmetry: of buffers alike, the first is placed first;
//  - what falls apart in time is solved apart.
#pragma once

#include <cstdint>
#include <unordered_set>
#include <vector>

#include "thimble/layout/layout.h"
#include "thimble/layout/packing_search.h"
#include "thimble/layout/sweep.h"

namespace thimble::layout {

class NicheSearch {
 public:
  /// Both must outlive the search.
  NicheSearch(const Problem& problem, const Sweep& sweep);

  /// Whether the search may run: no address is fixed, and buffers that live together share nothing.
  [[nodiscard]] bool applies() const { return applies_; }

  /// As PackingSearch::run; kNone always proves that no layout exists.
  SearchOutcome run(int64_t capacity_bytes, const std::vector<int>& order, int64_t max_nodes,
                    SearchBudget& budget);

  [[nodiscard]] const std::vector<int64_t>& addresses() const { return address_; }  ///< if found
  [[nodiscard]] int64_t nodes() const { return nodes_; }  ///< over all runs
  /// Means what PackingSearch::blame does.
  [[nodiscard]] const std::vector<int64_t>& blame() const { return blame_; }

 private:
  struct Change {
    int64_t* cell;
    int64_t before;
  };
  struct Head {
    int64_t floor, size;
    int buffer;
  };
  using Buffers = std::vector<int>;

  void begin(int64_t capacity_bytes, const std::vector<int>& order);
  SearchOutcome solve(Buffers unplaced);
  SearchOutcome solve_part(const Buffers& part);
  [[nodiscard]] std::vector<Buffers> split(const Buffers& unplaced) const;
  [[nodiscard]] uint64_t state(const Buffers& part) const;

  [[nodiscard]] int narrowest(const Buffers& part) const;
  [[nodiscard]] bool is_niche(int section) const;
  [[nodiscard]] bool is_answer(int buffer, int64_t ground) const;
  [[nodiscard]] Buffers answers(int section) const;
  [[nodiscard]] int64_t next_address(int section) const;

  bool infer(const Buffers& unplaced);
  bool infer_section(int section);
  bool infer_support(int buffer, bool& changed);
  void sort_heads(int section);

  bool place(int buffer);
  bool raise(int buffer, int64_t address);
  bool waste(int section, int64_t next);
  bool fail(int section);
  [[nodiscard]] bool placed(int buffer) const { return address_[index(buffer)] >= 0; }
  void set(int64_t& cell, int64_t value);
  void take_back(size_t mark);
  void touch(int buffer);

  const Problem& problem_;
  const Sweep& sweep_;
  bool applies_ = true;
  const int64_t unit_;           ///< divides every alignment
  std::vector<int64_t> padded_;  ///< sizes, up to the unit
  std::vector<int> twin_;        ///< the buffer before it that is alike, or -1
  std::vector<int> kind_;        ///< the first buffer that is alike

  int64_t capacity_ = 0, capacity_padded_ = 0;
  std::vector<int> rank_;
  std::vector<int64_t> address_, rest_, floor_;   ///< address -1: unplaced
  std::vector<int64_t> left_, ground_, choices_;  ///< per section: unplaced bytes, lowest floor,
                                                  ///< and how many answers a niche there has
  std::vector<Change> trail_;
  std::vector<int> dirty_;  ///< sections to infer from
  std::vector<bool> is_dirty_;
  std::vector<Buffers> members_;  ///< of sections, nearly by floor
  std::vector<Head> heads_;       ///< of the section at hand: what is unplaced, by floor
  std::vector<size_t> watched_;   ///< per buffer: the neighbour that last told all
  std::vector<double> weight_;    ///< per section: how often searches failed there
  std::vector<int64_t> blame_;
  std::unordered_set<uint64_t> failed_;  ///< states that have no layout within the capacity
  int64_t nodes_ = 0, last_node_ = 0;
  SearchBudget* budget_ = nullptr;  ///< of the run
};

}  // namespace thimble::layout
