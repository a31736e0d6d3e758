// SPDX-License-Identifier: Apache-2.0
#include "thimble/search/greedy.h"

#include <set>
#include <tuple>

#include "thimble/model/error.h"

namespace thimble {
namespace {

/// Operators that are ready, the best one first. A key changes only when an operator becomes the
/// last reader of one of its inputs, so that all keys take time in proportion to the network.
class GreedyQueue {
 public:
  GreedyQueue(const OrderProblem& problem, const OrderLinks& links, const Execution& execution)
      : problem_(problem),
        links_(links),
        execution_(execution),
        key_(problem.ops.size(), {0, 0, -1}) {
    for_each(execution.ready(), [&](int op) { add(op); });
  }

  /// Takes the best one out; -1 if none is ready.
  int take() {
    if (queue_.empty()) return -1;
    const int op = std::get<int>(*queue_.begin());
    queue_.erase(queue_.begin());
    return op;
  }

  /// After `op` was executed.
  void update(int op) {
    for (const int t : problem_.ops[index(op)].inputs) {
      if (execution_.reads_left(t) != 1) continue;
      for (const int reader : links_.readers[index(t)]) {
        if (execution_.ready(reader) && queue_.erase(key_[index(reader)]) > 0) add(reader);
      }
    }
    for (const int next : links_.after[index(op)]) {
      if (execution_.ready(next)) add(next);
    }
  }

 private:
  using Key = std::tuple<int64_t, int64_t, int>;  // live bytes beyond those of now, operator

  void add(int op) {
    const int64_t now = execution_.live_bytes();
    key_[index(op)] = {execution_.live_bytes_after(op) - now, execution_.working_set(op) - now, op};
    queue_.insert(key_[index(op)]);
  }

  const OrderProblem& problem_;
  const OrderLinks& links_;
  const Execution& execution_;
  std::vector<Key> key_;  ///< last added with; of no operator before
  std::set<Key> queue_;
};

}  // namespace

void complete_greedily(const OrderProblem& problem, const OrderLinks& links, Execution& execution,
                       std::vector<int>& ops) {
  GreedyQueue queue(problem, links, execution);
  while (ops.size() < problem.ops.size()) {
    const int best = queue.take();
    check(best >= 0, "order: operators that wait for each other");
    execution.execute(best);
    ops.push_back(best);
    queue.update(best);
  }
}

}  // namespace thimble
