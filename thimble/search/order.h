// SPDX-License-Identifier: Apache-2.0
// Orders of whole operators: the file's, a greedy one, and the best one.
#pragma once

#include <cstdint>
#include <vector>

#include "thimble/model/time_limit.h"
#include "thimble/search/order_problem.h"

namespace thimble {

struct Order {
  std::vector<int> ops;  ///< a permutation
  int64_t peak_bytes = 0;
  int64_t lower_bound_bytes = 0;  ///< no order has a smaller peak
  bool proven_optimal = false;
  int64_t states = 0;  ///< search effort
};

/// Bytes live while each operator of `order` executes, in that order (Liberis & Lane 2019, appendix
/// A).
[[nodiscard]] std::vector<int64_t> working_sets(const OrderProblem& problem,
                                                const std::vector<int>& order);

/// Positions in an order, per tensor.
struct Lives {
  std::vector<int> made;       ///< -1: before the first
  std::vector<int> last_read;  ///< -1: never; outputs of the network: behind the last
};
[[nodiscard]] Lives lives(const OrderProblem& problem, const std::vector<int>& order);
/// Per position, and at the end: bytes of tensors made before it for it or later ones.
[[nodiscard]] std::vector<int64_t> held_bytes(const Lives& lives,
                                              const std::vector<int64_t>& size_bytes, int count);

[[nodiscard]] Order original_order(const OrderProblem& problem);
/// All orders, the file's first; no more than `most` of them.
[[nodiscard]] std::vector<std::vector<int>> all_orders(const OrderProblem& problem, size_t most);
/// Next the operator that leaves the fewest live bytes (ties: smaller working set, then file
/// order).
[[nodiscard]] Order greedy_order(const OrderProblem& problem);
/// Operators behind all that they read, as a depth-first walk from the network's inputs leaves them
/// last; readers of a tensor in the order of the file. Linear in the network.
[[nodiscard]] Order reverse_post_order(const OrderProblem& problem);
constexpr int64_t kOrderStates = 2'000'000;
/// The least peak of all orders: the dynamic programme over sets of tensors of Liberis & Lane 2019,
/// algorithm 1, with in-place execution in the objective (section 6), and what makes it scale
/// (reorder.cc). Past about `max_states` sets, the best order known and the bound proven until
/// then; past the steps of reorder.cc, too, which large networks need more of per state. Never
/// worse than the two above; the same problem and number give the same order (unless time runs
/// out).
[[nodiscard]] Order reorder(const OrderProblem& problem, int64_t max_states = kOrderStates,
                            const TimeLimit* time = nullptr);

}  // namespace thimble
