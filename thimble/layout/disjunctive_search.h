// SPDX-License-Identifier: Apache-2.0
// Depth-first search for a layout within a capacity, by deciding pair by pair who stands where:
// complete for every relation that layout.h permits, fixed addresses included.
//
// Each conflict is a choice of at most three: address(b) - address(a) >= above, <= below, or == 0.
// Every buffer keeps the lowest and highest address that the choices so far allow, rounded to its
// alignment. Where only one choice is left it is applied; where none is, the node fails. If the
// lowest addresses violate no conflict they are a layout, else a node branches on the conflict of
// the two buffers whose sizes are largest. Slower than packing_search.h where that one applies.
#pragma once

#include <cstdint>
#include <vector>

#include "thimble/layout/layout.h"
#include "thimble/layout/packing_search.h"
#include "thimble/layout/sweep.h"

namespace thimble::layout {

class DisjunctiveSearch {
 public:
  /// section_bounds as bound.h gives them. All arguments must outlive the search.
  DisjunctiveSearch(const Problem& problem, const Sweep& sweep,
                    const std::vector<int64_t>& section_bounds);

  /// kNone proves that no layout exists within the capacity.
  SearchOutcome run(int64_t capacity_bytes, int64_t max_nodes, SearchBudget& budget);

  [[nodiscard]] const std::vector<int64_t>& addresses() const { return addresses_; }  ///< if found
  [[nodiscard]] int64_t nodes() const { return nodes_; }  ///< over all runs

 private:
  enum Choice : uint8_t { kAbove = 1, kBelow = 2, kSame = 4 };
  struct Pair {
    int a, b;
    Conflict conflict;  ///< seen from a
  };
  struct Node {
    std::vector<int64_t> lowest, highest;
    std::vector<uint8_t> choices;  ///< per pair, bits of Choice that are left
  };

  bool propagate(Node& node, std::vector<int> changed) const;
  bool narrow(Node& node, int pair, std::vector<int>& changed) const;
  static bool raise(Node& node, int buffer, int64_t to, int64_t alignment,
                    std::vector<int>& changed);
  static bool lower(Node& node, int buffer, int64_t to, int64_t alignment,
                    std::vector<int>& changed);
  [[nodiscard]] uint8_t feasible(const Node& node, int pair) const;
  [[nodiscard]] bool sections_fit(const Node& node) const;
  [[nodiscard]] int worst_violation(const Node& node) const;
  SearchOutcome solve(Node node, const std::vector<int>& changed);

  const Problem& problem_;
  const Sweep& sweep_;
  const std::vector<int64_t>& section_bounds_;
  std::vector<Pair> pairs_;
  std::vector<std::vector<int>> pairs_of_;
  int64_t capacity_ = 0;
  std::vector<int64_t> addresses_;
  int64_t nodes_ = 0, last_node_ = 0;
  SearchBudget* budget_ = nullptr;  ///< of the run
};

}  // namespace thimble::layout
