// SPDX-License-Identifier: Apache-2.0
// Moves of a state, and those that can be taken at once.
#include "thimble/search/walker.h"

#include <algorithm>

#include "thimble/model/error.h"
#include "thimble/search/greedy.h"

namespace thimble {

bool regular(const OrderProblem& problem) {
  return std::all_of(problem.ops.begin(), problem.ops.end(), [&](const OrderProblem::Op& op) {
    return std::all_of(op.in_place.begin(), op.in_place.end(), [&](const auto& in_place) {
      const int64_t in = problem.size_bytes[index(in_place.input)];
      const int64_t out = problem.size_bytes[index(op.outputs[0])];
      return op.scratch_bytes <= in_place.scratch_bytes + std::max(in - out, int64_t{0});
    });
  });
}

Walker::Walker(const OrderProblem& problem, const OrderLinks& links, Direction direction,
               OrderBudget* budget)
    : links_(links),
      execution_(problem, links),
      forward_(direction == Direction::kForward),
      settles_(forward_ || regular(problem)),
      budget_(budget) {
  if (forward_) return;
  std::vector<int> order;
  complete_greedily(problem, links, execution_, order);
}

int64_t Walker::move(int op) {
  charge(budget_, 2);  // it will be taken back
  if (forward_) {
    const int64_t cost = execution_.working_set(op);
    execution_.execute(op);
    return cost;
  }
  execution_.undo(op);
  return execution_.working_set(op);
}

void Walker::take_back(int op) { forward_ ? execution_.undo(op) : execution_.execute(op); }

void Walker::settle(int64_t cost, std::vector<int>& taken) {
  if (!settles_) return;
  for (bool moved = true; moved;) {
    moved = false;
    const OpSet from = moves();
    for_each(from, [&](int op) {
      if (contains(moves(), op)) moved = take_run(cost, op, taken) || moved;
    });
  }
}

void Walker::each_continuation(int64_t paid, int64_t below,
                               const std::function<void(int64_t, const std::vector<int>&)>& visit) {
  std::vector<int> taken;
  const auto come_back = [&] {
    for (; !taken.empty(); taken.pop_back()) take_back(taken.back());
  };
  settle(paid, taken);
  if (!taken.empty()) {
    visit(paid, taken);
    come_back();
    return;
  }
  const OpSet from = moves();
  for_each(from, [&](int op) {
    if (spent(budget_)) return;
    taken = {op};
    const int64_t cost = std::max(paid, move(op));
    if (cost < below) {
      settle(cost, taken);
      visit(cost, taken);
    }
    come_back();
  });
}

bool Walker::take_run(int64_t cost, int op, std::vector<int>& taken) {
  const size_t start = taken.size();
  int64_t least = live_bytes();
  for (int next = op; next >= 0; next = made_possible_by(next)) {
    taken.push_back(next);
    if (move(next) > cost) break;
    if (live_bytes() <= least) return true;
  }
  while (taken.size() > start) {
    take_back(taken.back());
    taken.pop_back();
  }
  return false;
}

/// A move that needed the one of `op`, or -1.
int Walker::made_possible_by(int op) const {
  for (const int next : forward_ ? links_.after[index(op)] : links_.before[index(op)]) {
    if (contains(moves(), next)) return next;
  }
  return -1;
}

}  // namespace thimble
