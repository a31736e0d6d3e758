// SPDX-License-Identifier: Apache-2.0
// The exact method: good greedy layouts first, then searches at falling capacities with growing
// budgets, until the lower bound is met, a search proves that less is impossible, or the work is
// done that it may do.
#include <algorithm>
#include <optional>
#include <random>

#include "thimble/layout/bound.h"
#include "thimble/layout/disjunctive_search.h"
#include "thimble/layout/greedy.h"
#include "thimble/layout/layout.h"
#include "thimble/layout/learning_order.h"
#include "thimble/layout/niche_search.h"
#include "thimble/layout/packing_search.h"
#include "thimble/layout/sequence_search.h"
#include "thimble/model/error.h"

namespace thimble::layout {
namespace {

constexpr int64_t kRepairRounds = 100;
/// Conflicts that all these rounds may look at; with many there are fewer rounds.
constexpr int64_t kRepairWork = 50'000'000;
/// Limit on pairs of buffers live at once: a list of more conflicts would take gigabytes.
constexpr int64_t kMostPairs = 2'000'000;
/// Nodes for each order in the first round. A good order needs a few hundred; a bad one would not
/// end.
constexpr int64_t kFirstBudget = 500;
constexpr int64_t kLeastSequenceWork = 1'000'000;  ///< with less the niches have all of it
constexpr int kRestarts = 5;                       ///< of each order, in each round, at the goal
/// Where overlaps are permitted: what some two seconds do not find, ten do not find either.
constexpr int64_t kPackingWork = 100'000'000;
/// Each level of the disjunctive search keeps a byte per conflict; larger problems do without it.
constexpr int64_t kMostConflicts = 40'000;

/// One connected part of a problem.
class PartSearch {
 public:
  PartSearch(const Problem& problem, int64_t budget_bytes, SearchBudget& budget)
      : problem_(problem),
        budget_(budget),
        sweep_(sweep(problem)),
        bounds_(section_bounds(problem, sweep_)),
        quantum_(quantum_bytes(problem)),
        enough_(budget_bytes / quantum_ * quantum_) {
    best_.lower_bound_bytes = layout::lower_bound_bytes(problem);
    keep(greedy_by_size(problem).addresses);
    if (!done()) keep(best_greedy(problem, sweep_, goal(), repair_rounds(), budget.time));
  }

  Solution run() {
    if (!done()) search();
    best_.proven_optimal = best_.arena_bytes <= best_.lower_bound_bytes;
    return best_;
  }

 private:
  [[nodiscard]] int64_t goal() const { return std::max(enough_, best_.lower_bound_bytes); }
  [[nodiscard]] bool done() const { return best_.arena_bytes <= goal(); }

  void keep(const std::vector<int64_t>& addresses) {
    const int64_t bytes = layout::arena_bytes(problem_, addresses);
    if (!best_.addresses.empty() && bytes >= best_.arena_bytes) return;
    best_.addresses = addresses;
    best_.arena_bytes = bytes;
  }

  [[nodiscard]] int64_t conflict_count() const {
    int64_t count = 0;
    for (const std::vector<Conflict>& row : sweep_.conflicts) count += std::ssize(row);
    return count;
  }
  [[nodiscard]] int repair_rounds() const {
    return static_cast<int>(std::min(kRepairWork / (conflict_count() + 1), kRepairRounds));
  }

  void search() {
    NicheSearch niches(problem_, sweep_);
    PackingSearch packing(problem_, sweep_);
    DisjunctiveSearch disjunctive(problem_, sweep_, bounds_);
    const bool pairwise = !packing.complete() && conflict_count() <= kMostConflicts;
    std::vector<LearningOrder> orders;
    for (std::vector<int>& order : greedy_orders(problem_, sweep_)) {
      orders.emplace_back(std::move(order));
    }
    std::optional<SequenceSearch> sequences;
    if (budget_.work >= kLeastSequenceWork && niches.applies() &&
        SequenceSearch::applies(problem_, sweep_)) {
      sequences.emplace(problem_, sweep_);
    }
    const int64_t least_left = niches.applies() ? 0 : budget_.work - kPackingWork;
    const auto goes_on = [&] { return !done() && !budget_.spent() && budget_.work > least_left; };
    int64_t nodes = kFirstBudget, owed = 0;  // to sequences: as much as to niches
    for (int round = 0; goes_on(); ++round, nodes += nodes / 4) {
      const int64_t before = budget_.work;
      if (sequences && sequences->run(goal(), owed, budget_) == SearchOutcome::kFound) {
        keep(sequences->addresses());
        break;
      }
      const int64_t between = budget_.work;
      for (const int64_t capacity : capacities(round)) {
        if (niches.applies()) {
          pack(niches, true, orders, capacity, nodes);
        } else if (!any_fixed()) {
          pack(packing, packing.complete(), orders, capacity, nodes);
        }
        if (!pairwise || !open(capacity)) continue;
        const SearchOutcome outcome = disjunctive.run(capacity, nodes, budget_);
        conclude(outcome, capacity, true, disjunctive.addresses());
      }
      owed += (between - budget_.work) - (before - between);
    }
    best_.nodes = (sequences ? sequences->nodes() : 0) + niches.nodes() + packing.nodes() +
                  disjunctive.nodes();
  }

  /// Each order as it is, then several times with what it learnt. What one order has searched to
  /// the end is searched for all.
  template <typename Search>
  void pack(Search& search, bool complete, std::vector<LearningOrder>& orders, int64_t capacity,
            int64_t nodes) {
    const int restarts = capacity <= goal() ? kRestarts : 0;
    for (int restart = 0; restart <= restarts; ++restart) {
      for (LearningOrder& order : orders) {
        if (!open(capacity) || capacity <= searched_) return;
        const std::vector<int> tried = restart == 0 ? order.base() : order.next(random_);
        const SearchOutcome outcome = search.run(capacity, tried, nodes, budget_);
        conclude(outcome, capacity, complete, search.addresses());
        if (outcome == SearchOutcome::kNone) searched_ = capacity;
        order.learn(search.blame());
      }
    }
  }

  [[nodiscard]] bool any_fixed() const {
    return std::any_of(problem_.buffers.begin(), problem_.buffers.end(),
                       [](const Buffer& buffer) { return buffer.address.has_value(); });
  }

  /// The goal, since good orders reach it at once if it can be reached; and a step down from the
  /// best, of a half to a thirty-second of the distance in turn.
  [[nodiscard]] std::vector<int64_t> capacities(int round) const {
    const int64_t step = (best_.arena_bytes - goal()) >> (1 + round % 5);
    return {goal(), best_.arena_bytes - std::max(step / quantum_, int64_t{1}) * quantum_};
  }

  /// Whether a search at this capacity can still tell anything.
  [[nodiscard]] bool open(int64_t capacity) const {
    return !done() && !budget_.spent() && capacity >= best_.lower_bound_bytes &&
           capacity < best_.arena_bytes;
  }

  void conclude(SearchOutcome outcome, int64_t capacity, bool complete,
                const std::vector<int64_t>& addresses) {
    if (outcome == SearchOutcome::kFound) keep(addresses);
    if (outcome == SearchOutcome::kNone && complete) {
      const int64_t next = (capacity / quantum_ + 1) * quantum_;
      best_.lower_bound_bytes =
          std::max(best_.lower_bound_bytes, std::min(next, best_.arena_bytes));
    }
  }

  const Problem& problem_;
  SearchBudget& budget_;
  const Sweep sweep_;
  const std::vector<int64_t> bounds_;
  const int64_t quantum_, enough_;
  int64_t searched_ = -1;  ///< no search of orders finds a layout within this capacity
  std::mt19937 random_{1};
  Solution best_;
};

void check_fixed(const Problem& problem, const Sweep& sweep) {
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    for (const Conflict& c : sweep.conflicts[i]) {
      const std::optional<int64_t> a = problem.buffers[i].address;
      const std::optional<int64_t> b = problem.buffers[static_cast<size_t>(c.other)].address;
      if (!a || !b) continue;
      check(*b - *a >= c.above || *b - *a <= c.below || (c.same && a == b),
            "layout: fixed addresses that contradict each other");
    }
  }
}

}  // namespace

Solution exact(const Problem& problem, const SearchLimits& limits) {
  if (live_pairs(problem) > kMostPairs) return greedy(problem, limits.time);
  SearchBudget budget{.work = limits.work, .time = limits.time};
  const Sweep swept = sweep(problem);
  check_fixed(problem, swept);
  Solution result;
  result.addresses.assign(problem.buffers.size(), 0);
  result.lower_bound_bytes = lower_bound_bytes(problem);
  int64_t enough = std::max(limits.good_enough_bytes.value_or(0), result.lower_bound_bytes);
  const std::vector<std::vector<int>> all_parts = parts(swept);
  const std::vector<Problem> problems = restricted(problem, all_parts);
  for (size_t p = 0; p < all_parts.size(); ++p) {
    const std::vector<int>& part = all_parts[p];
    const Solution solution = PartSearch(problems[p], enough, budget).run();
    for (size_t i = 0; i < part.size(); ++i) {
      result.addresses[static_cast<size_t>(part[i])] = solution.addresses[i];
    }
    result.arena_bytes = std::max(result.arena_bytes, solution.arena_bytes);
    result.lower_bound_bytes = std::max(result.lower_bound_bytes, solution.lower_bound_bytes);
    result.nodes += solution.nodes;
    enough = std::max(enough, solution.arena_bytes);
  }
  result.proven_optimal = result.arena_bytes <= result.lower_bound_bytes;
  return result;
}

}  // namespace thimble::layout
