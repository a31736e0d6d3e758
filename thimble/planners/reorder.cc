// SPDX-License-Identifier: Apache-2.0
// The order with the least peak: Liberis & Lane 2019, algorithm 1, run forwards.
//
// The paper memoises over sets of tensors to be held, undoing operators from the outputs. Which
// tensors are held follows from which operators have been executed, and no operator may be executed
// twice, so the states are the same as the sets of executed operators that are closed under
// predecessors; those are bit sets here, and the search goes from the first operator to the last.
// What a state costs is the least peak of any way to it, a maximum along the way: the shortest-path
// search that always goes on from the cheapest state meets each state at its least cost first
// (equal costs: the last found, so that a peak that can be kept is followed to the end at once).
//
// Three rules keep the states few, and the search exact:
//  - linear runs are folded (fold_runs.h);
//  - no state costs less than peak_bound_bytes, or is of use at the peak of an order already known;
//  - a run of operators, each made ready by the one before, is taken at once if no working set in
//  it
//    exceeds the cost so far and it ends with no more live bytes than it has anywhere before its
//    end: live bytes are a submodular function of the executed set, so moving the run to the front
//    raises no later working set. In-place execution only gains by it: a reader more is gone.
#include <algorithm>
#include <map>
#include <unordered_set>

#include "thimble/model/error.h"
#include "thimble/planners/execution.h"
#include "thimble/planners/fold_runs.h"
#include "thimble/planners/order.h"
#include "thimble/planners/peak_bound.h"

namespace thimble {
namespace {

/// Sets of executed operators, each stored once, with the way to it.
class StateTable {
 public:
  explicit StateTable(size_t operators)
      : words_((operators + 63) / 64), index_(16, Hash{this}, Equal{this}) {}

  struct Way {
    int parent = -1;  ///< state
    int op = -1;
    int64_t cost = 0;
  };

  [[nodiscard]] int64_t size() const { return static_cast<int64_t>(ways_.size()); }
  [[nodiscard]] const Way& way(int state) const { return ways_[static_cast<size_t>(state)]; }
  [[nodiscard]] bool contains(int state, int op) const {
    return bits_[static_cast<size_t>(state) * words_ + static_cast<size_t>(op) / 64] >> (op % 64) &
           1;
  }

  int add_root(int64_t cost) {
    bits_.assign(words_, 0);
    ways_.push_back({.parent = -1, .op = -1, .cost = cost});
    index_.insert(0);
    return 0;
  }

  /// The state after `way.op`; -1 if it is known at no higher cost.
  int add(const Way& way) {
    const int fresh = static_cast<int>(ways_.size());
    const size_t parent_at = static_cast<size_t>(way.parent) * words_;
    for (size_t w = 0; w < words_; ++w) bits_.push_back(bits_[parent_at + w]);
    bits_[static_cast<size_t>(fresh) * words_ + static_cast<size_t>(way.op) / 64] |=
        uint64_t{1} << (way.op % 64);
    ways_.push_back(way);
    const auto [known, is_new] = index_.insert(fresh);
    if (is_new) return fresh;
    bits_.resize(bits_.size() - words_);
    ways_.pop_back();
    Way& old = ways_[static_cast<size_t>(*known)];
    if (old.cost <= way.cost) return -1;
    old = way;
    return *known;
  }

 private:
  struct Hash {
    const StateTable* table;
    size_t operator()(int state) const {
      uint64_t hash = 0;
      for (size_t w = 0; w < table->words_; ++w) {
        hash ^= table->bits_[static_cast<size_t>(state) * table->words_ + w];
        hash *= 0x9E3779B97F4A7C15u;  // 2^64 / golden ratio
        hash ^= hash >> 32;
      }
      return hash;
    }
  };
  struct Equal {
    const StateTable* table;
    bool operator()(int a, int b) const {
      const auto first = table->bits_.begin() + static_cast<int64_t>(a) * words();
      const auto second = table->bits_.begin() + static_cast<int64_t>(b) * words();
      return std::equal(first, first + words(), second);
    }
    int64_t words() const { return static_cast<int64_t>(table->words_); }
  };

  const size_t words_;
  std::vector<uint64_t> bits_;  ///< words_ for each state
  std::vector<Way> ways_;
  std::unordered_set<int, Hash, Equal> index_;
};

class Reordering {
 public:
  /// `known`: an order of the problem that was folded.
  Reordering(const FoldedRuns& folded, Order known, int64_t max_states)
      : problem_(folded.problem),
        runs_(folded.runs),
        links_(problem_),
        execution_(problem_, links_),
        max_states_(max_states),
        table_(problem_.ops.size()),
        best_(std::move(known)) {}

  Order run() {
    open_[best_.lower_bound_bytes].push_back(table_.add_root(best_.lower_bound_bytes));
    while (!open_.empty()) {
      const auto cheapest = open_.begin();
      if (cheapest->second.empty()) {
        open_.erase(cheapest);
        continue;
      }
      cost_ = cheapest->first;
      best_.lower_bound_bytes = cost_;
      const int state = cheapest->second.back();
      cheapest->second.pop_back();
      if (table_.way(state).cost < cost_) continue;  // reached cheaper since it was queued
      if (table_.size() > max_states_) return stopped(state);
      ++best_.states;
      go_to(state);
      if (executed_.size() == problem_.ops.size()) return found();
      expand(state);
    }
    // Every way costs at least what is known.
    best_.lower_bound_bytes = best_.peak_bytes;
    best_.proven_optimal = true;
    return best_;
  }

 private:
  /// Moves the execution to a state: back to where the ways part, then on.
  void go_to(int state) {
    std::vector<int> way;
    for (int s = state; table_.way(s).parent >= 0; s = table_.way(s).parent) {
      way.push_back(table_.way(s).op);
    }
    std::reverse(way.begin(), way.end());
    const auto fork =
        std::mismatch(executed_.begin(), executed_.end(), way.begin(), way.end()).first;
    const auto common = static_cast<size_t>(fork - executed_.begin());
    while (executed_.size() > common) step_back();
    for (size_t i = common; i < way.size(); ++i) step(way[i]);
  }

  void step(int op) {
    execution_.execute(op);
    executed_.push_back(op);
  }
  void step_back() {
    execution_.undo(executed_.back());
    executed_.pop_back();
  }

  void expand(int state) {
    std::vector<int> ready;
    for (int op = 0; op < static_cast<int>(problem_.ops.size()); ++op) {
      if (execution_.ready(op)) ready.push_back(op);
    }
    check(!ready.empty(), "order: operators that wait for each other");
    const auto free =
        std::find_if(ready.begin(), ready.end(), [&](int op) { return costs_nothing(op); });
    if (free != ready.end()) ready = {*free};
    // The last one queued is the first one taken: let it be the one that leaves the fewest bytes.
    std::stable_sort(ready.begin(), ready.end(), [&](int a, int b) {
      return execution_.live_bytes_after(a) > execution_.live_bytes_after(b);
    });
    for (const int op : ready) {
      const int64_t cost = std::max(cost_, execution_.working_set(op));
      if (cost >= best_.peak_bytes) continue;
      const int next = table_.add({.parent = state, .op = op, .cost = cost});
      if (next >= 0) open_[cost].push_back(next);
    }
  }

  /// Whether the run that starts with `op` can be taken at once.
  bool costs_nothing(int op) {
    const size_t start = executed_.size();
    int64_t least = execution_.live_bytes();
    bool result = false;
    for (int next = op; next >= 0 && !result; next = made_ready_by(next)) {
      if (execution_.working_set(next) > cost_) break;
      step(next);
      result = execution_.live_bytes() <= least;
      least = std::min(least, execution_.live_bytes());
    }
    while (executed_.size() > start) step_back();
    return result;
  }

  /// The operator to go on with in a run: a reader of what the last one made, or -1.
  [[nodiscard]] int made_ready_by(int op) const {
    for (const int t : problem_.ops[static_cast<size_t>(op)].outputs) {
      for (const int reader : links_.readers[static_cast<size_t>(t)]) {
        if (execution_.ready(reader)) return reader;
      }
    }
    return -1;
  }

  Order found() {
    best_.ops = unfolded(executed_);
    best_.peak_bytes = cost_;
    best_.lower_bound_bytes = cost_;
    best_.proven_optimal = true;
    return best_;
  }

  /// Out of states: completes the state at hand greedily, in case that is better than what is
  /// known.
  Order stopped(int state) {
    go_to(state);
    std::vector<int> ops = executed_;
    complete_greedily(problem_, execution_, ops);
    int64_t peak = 0;
    for (const int64_t bytes : working_sets(problem_, ops)) peak = std::max(peak, bytes);
    if (peak < best_.peak_bytes) {
      best_.ops = unfolded(ops);
      best_.peak_bytes = peak;
    }
    best_.proven_optimal = best_.peak_bytes == best_.lower_bound_bytes;
    return best_;
  }

  [[nodiscard]] std::vector<int> unfolded(const std::vector<int>& ops) const {
    std::vector<int> result;
    for (const int op : ops) {
      const std::vector<int>& run = runs_[static_cast<size_t>(op)];
      result.insert(result.end(), run.begin(), run.end());
    }
    return result;
  }

  const OrderProblem& problem_;
  const std::vector<std::vector<int>>& runs_;
  const OrderLinks links_;
  Execution execution_;
  std::vector<int> executed_;  ///< what the execution has behind it
  const int64_t max_states_;
  StateTable table_;
  std::map<int64_t, std::vector<int>> open_;  ///< states to go on from, by cost
  int64_t cost_ = 0;                          ///< of the state at hand
  Order best_;                                ///< its operators are those before folding
};

}  // namespace

Order reorder(const OrderProblem& problem, int64_t max_states) {
  Order known = original_order(problem);
  const Order greedy = greedy_order(problem);
  if (greedy.peak_bytes < known.peak_bytes) known = greedy;
  if (known.proven_optimal) return known;
  const FoldedRuns folded = fold_runs(problem);
  return Reordering(folded, std::move(known), max_states).run();
}

}  // namespace thimble
