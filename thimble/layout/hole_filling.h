// SPDX-License-Identifier: Apache-2.0
// The ways in which what begins at a moment can take the place of what ends (sequence_search.h).
#pragma once

#include <bitset>
#include <cstdint>
#include <random>
#include <vector>

#include "thimble/layout/pq_tree.h"

namespace thimble::layout {

/// What has addresses: a buffer, or a gap.
struct Item {
  int64_t bytes = 0;
  int end = 0;  ///< the section it ends before; of a gap -1: any
};
using Items = std::vector<int>;  ///< numbers of them

[[nodiscard]] int64_t bytes_of(const std::vector<Item>& items, const Items& of);

struct Hole {
  Items ends, begins;
  int64_t unused = 0;   ///< bytes that end without a begin
  bool joined = false;  ///< of several runs, which must become contiguous
};

using Holes = std::vector<Hole>;  ///< of one moment

class HoleFilling {
 public:
  /// Items `begins` begin at the moment. quantum: divides all bytes. marks: per item, none; as long
  /// as the filling. work: counted down, in items looked at.
  HoleFilling(const std::vector<Item>& items, Items begins, int64_t quantum,
              std::vector<bool>& marks, int64_t& work);

  /// How much may be looked at (in each of a few passes), and found. Each choice gets half of what
  /// may be found, so that what is found differs early on, too.
  struct Quota {
    int64_t steps;
    int64_t fillings;
  };
  /// Where `ends`, as many bytes as begin or more, end in the orders of `tree`. Small ones
  /// are filled first, in other passes large ones or in a sequence by chance.
  [[nodiscard]] std::vector<Holes> fill(PqNode& tree, const Items& ends, Quota quota,
                                        std::mt19937& random);

 private:
  using Sums = std::bitset<1 << 16>;
  static constexpr size_t kSums = Sums().size();
  struct Run {
    int64_t bytes;
    int number;   ///< in the tree
    Items items;  ///< always contiguous
    bool taken;
  };
  class Choice;

  void next_hole(const PqNode& tree, Quota quota);
  void join(const PqNode& tree, size_t from, int64_t more, int64_t bytes, const Choice& choice);
  void start(const PqNode& tree, int64_t bytes, const Choice& choice);
  void fill_hole(const PqNode& tree, int64_t bytes, const Choice& choice);
  void choose(const PqNode& tree, size_t from, int64_t bytes, const Choice& choice);
  [[nodiscard]] size_t sum_of(int64_t bytes) const;
  [[nodiscard]] bool alike(int a, int b) const;

  const std::vector<Item>& items_;
  Items begins_;  ///< large ones first, those alike side by side
  const int64_t quantum_;
  std::vector<bool>& marks_;
  int64_t& work_;
  std::vector<Sums> sums_;  ///< of begins_ from there on, in quanta, modulo kSums
  std::vector<bool> filled_;
  std::vector<Run> runs_;
  Items joined_;  ///< runs of the last of holes_
  std::vector<bool> run_marks_;
  int64_t unused_ = 0;  ///< bytes, not in a hole yet
  Holes holes_;
  std::vector<Holes> results_;
  int64_t steps_ = 0;
  bool cut_ = false;  ///< not all was tried
};

}  // namespace thimble::layout
