// SPDX-License-Identifier: Apache-2.0
// Orders that need no search, and the measure of any order.
#include "thimble/search/order.h"

#include <algorithm>
#include <numeric>

#include "thimble/model/error.h"
#include "thimble/search/execution.h"
#include "thimble/search/greedy.h"
#include "thimble/search/peak_bound.h"

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

std::vector<int64_t> held_bytes(const Lives& lives, const std::vector<int64_t>& size_bytes,
                                int count) {
  std::vector<int64_t> result(index(count) + 2, 0);
  for (size_t t = 0; t < size_bytes.size(); ++t) {
    if (lives.last_read[t] <= lives.made[t]) continue;
    result[index(lives.made[t] + 1)] += size_bytes[t];
    result[index(lives.last_read[t] + 1)] -= size_bytes[t];
  }
  for (size_t at = 1; at < result.size(); ++at) result[at] += result[at - 1];
  result.pop_back();
  return result;
}

Order original_order(const OrderProblem& problem) {
  std::vector<int> ops(problem.ops.size());
  std::iota(ops.begin(), ops.end(), 0);
  return measured(problem, std::move(ops));
}

std::vector<std::vector<int>> all_orders(const OrderProblem& problem, size_t most) {
  const auto count = static_cast<int>(problem.ops.size());
  std::vector<int> maker(problem.size_bytes.size(), -1);
  for (int op = 0; op < count; ++op) {
    for (const int t : problem.ops[static_cast<size_t>(op)].outputs)
      maker[static_cast<size_t>(t)] = op;
  }
  std::vector<std::vector<int>> result;
  std::vector<int> order;
  std::vector<bool> done(problem.ops.size(), false);
  const auto is_ready = [&](int op) {
    return std::ranges::all_of(problem.ops[static_cast<size_t>(op)].inputs, [&](int t) {
      const int by = maker[static_cast<size_t>(t)];
      return by < 0 || done[static_cast<size_t>(by)];
    });
  };
  // Depth first; what stands at a depth is the last operator of `order`.
  for (int next = 0; result.size() < most;) {
    while (next < count && (done[static_cast<size_t>(next)] || !is_ready(next))) ++next;
    if (next < count) {
      done[static_cast<size_t>(next)] = true;
      order.push_back(next);
      next = 0;
      continue;
    }
    if (order.size() == problem.ops.size()) result.push_back(order);
    if (order.empty()) break;
    next = order.back() + 1;
    done[static_cast<size_t>(order.back())] = false;
    order.pop_back();
  }
  return result;
}

Order reverse_post_order(const OrderProblem& problem) {
  const OrderLinks links(problem);
  std::vector<int> ops;
  std::vector<bool> seen(problem.ops.size(), false);
  std::vector<std::pair<int, size_t>> open;  // operators, and how many of their readers were seen
  const auto walk = [&](int from) {
    if (seen[index(from)]) return;
    seen[index(from)] = true;
    open.emplace_back(from, 0);
    while (!open.empty()) {
      auto& [op, next] = open.back();
      const std::vector<int>& after = links.after[index(op)];
      if (next == after.size()) {
        ops.push_back(op);
        open.pop_back();
        continue;
      }
      const int reader = after[after.size() - ++next];  // the last one first: it ends up last
      if (seen[index(reader)]) continue;
      seen[index(reader)] = true;
      open.emplace_back(reader, 0);
    }
  };
  for (size_t op = problem.ops.size(); op-- > 0;) {
    if (links.before[index(static_cast<int>(op))].empty()) walk(static_cast<int>(op));
  }
  std::ranges::reverse(ops);
  return measured(problem, std::move(ops));
}

Order greedy_order(const OrderProblem& problem) {
  const OrderLinks links(problem);
  Execution execution(problem, links);
  std::vector<int> ops;
  complete_greedily(problem, links, execution, ops);
  return measured(problem, std::move(ops));
}

}  // namespace thimble
