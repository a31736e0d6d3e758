// SPDX-License-Identifier: Apache-2.0
// Orders that need no search, and the measure of any order.
#include "thimble/planners/order.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "thimble/model/error.h"
#include "thimble/planners/execution.h"
#include "thimble/planners/peak_bound.h"

namespace thimble {
namespace {

Order measured(const OrderProblem& problem, std::vector<int> ops) {
  Order result;
  for (const int64_t bytes : working_sets(problem, ops)) {
    result.peak_bytes = std::max(result.peak_bytes, bytes);
  }
  result.ops = std::move(ops);
  result.lower_bound_bytes = peak_bound_bytes(problem);
  result.proven_optimal = result.peak_bytes == result.lower_bound_bytes;
  return result;
}

}  // namespace

std::vector<int64_t> working_sets(const OrderProblem& problem, const std::vector<int>& order) {
  check(order.size() == problem.ops.size(), "order: not every operator once");
  const OrderLinks links(problem);
  Execution execution(problem, links);
  std::vector<int64_t> result;
  for (const int op : order) {
    check(op >= 0 && static_cast<size_t>(op) < problem.ops.size() && execution.ready(op),
          "order: an operator before its inputs, or twice");
    result.push_back(execution.working_set(op));
    execution.execute(op);
  }
  return result;
}

Lives lives(const OrderProblem& problem, const std::vector<int>& order) {
  const size_t tensors = problem.size_bytes.size();
  Lives result{std::vector<int>(tensors, -1), std::vector<int>(tensors, -1)};
  const auto count = static_cast<int>(order.size());
  for (int at = 0; at < count; ++at) {
    const OrderProblem::Op& op = problem.ops[index(order[index(at)])];
    for (const int t : op.outputs) result.made[index(t)] = at;
    for (const int t : op.inputs) result.last_read[index(t)] = at;
  }
  for (const int t : problem.outputs) result.last_read[index(t)] = count;
  return result;
}

Order original_order(const OrderProblem& problem) {
  std::vector<int> ops(problem.ops.size());
  std::iota(ops.begin(), ops.end(), 0);
  return measured(problem, std::move(ops));
}

Order greedy_order(const OrderProblem& problem) {
  const OrderLinks links(problem);
  Execution execution(problem, links);
  std::vector<int> ops;
  complete_greedily(problem, execution, ops);
  return measured(problem, std::move(ops));
}

void complete_greedily(const OrderProblem& problem, Execution& execution, std::vector<int>& ops) {
  const auto count = static_cast<int>(problem.ops.size());
  while (static_cast<int>(ops.size()) < count) {
    int best = -1;
    std::tuple<int64_t, int64_t> best_key;
    for_each(execution.ready(), [&](int op) {
      const std::tuple key(execution.live_bytes_after(op), execution.working_set(op));
      if (best >= 0 && key >= best_key) return;
      best = op;
      best_key = key;
    });
    check(best >= 0, "order: operators that wait for each other");
    execution.execute(best);
    ops.push_back(best);
  }
}

}  // namespace thimble
