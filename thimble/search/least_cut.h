// SPDX-License-Identifier: Apache-2.0
// States with the fewest live bytes, as minimum cuts, and what follows for every order.
#pragma once

#include <optional>

#include "thimble/search/execution.h"

namespace thimble {

/// A set of operators that some execution reaches.
struct LiveCut {
  OpSet executed;
  int64_t live_bytes = 0;
};

/// Answers for one problem. Live bytes of a set are a cut of a flow network: an edge of a tensor's
/// size leads from its producer to a node of its own, and unlimited ones from there to its readers,
/// and from each operator to those before it. The executed operators are the side of the source.
class LeastCut {
 public:
  /// Both must outlive it.
  LeastCut(const OrderProblem& problem, const OrderLinks& links, OrderBudget* budget = nullptr);

  /// Among the sets that contain `inside` (and what is before it) and nothing of `outside` (nor
  /// what is after it), one with the fewest live bytes; of those, the one that is in all others.
  /// Nothing if no set is like that.
  [[nodiscard]] std::optional<LiveCut> between(const OpSet& inside, const OpSet& outside);

  /// The least that can be live while `op` executes: over all sets, and its ways to execute.
  [[nodiscard]] int64_t least_working_set(int op);

 private:
  struct Edge {
    int to;
    int64_t capacity, left;
  };
  void add_edge(int from, int to, int64_t capacity);
  [[nodiscard]] int tensor_node(size_t tensor) const;
  bool find_levels();
  int64_t push(int node, int64_t limit);
  [[nodiscard]] OpSet with_all(const OpSet& ops, const std::vector<std::vector<int>>& next) const;

  const OrderProblem& problem_;
  const OrderLinks& links_;
  OrderBudget* const budget_;
  const int source_, sink_;
  std::vector<Edge> edges_;             ///< an edge and its reverse side by side
  std::vector<std::vector<int>> from_;  ///< per node: edges
  std::vector<int> level_;
  std::vector<size_t> next_edge_;
};

/// Largest of all operators' least working sets: no order has a smaller peak. At least
/// peak_bound_bytes, which counts only what is live for certain.
[[nodiscard]] int64_t cut_bound_bytes(const OrderProblem& problem, OrderBudget* budget = nullptr);

}  // namespace thimble
