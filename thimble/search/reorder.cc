// SPDX-License-Identifier: Apache-2.0
// The order with the least peak: fold linear runs, split at the least states, then for each part a
// beam search for a good order, which is improved in windows, and, as long as the states last, an
// exact search from both ends for a better one, or the proof that there is none.
#include <algorithm>
#include <numeric>

#include "thimble/search/beam_search.h"
#include "thimble/search/fold_runs.h"
#include "thimble/search/hub_bound.h"
#include "thimble/search/improve_windows.h"
#include "thimble/search/least_cut.h"
#include "thimble/search/order.h"
#include "thimble/search/split.h"

namespace thimble {
namespace {

/// For minimum cuts, one per operator of each part.
constexpr int64_t kCutSteps = 100'000'000;
/// For searches, beside their states, whose steps are more in large networks: those of up to
/// kUsualOps operators hardly ever come to so many, and of larger ones they become fewer.
constexpr int64_t kSearchSteps = 2'000'000'000;
constexpr int64_t kUsualOps = 420;

int64_t search_steps(size_t ops) {
  const int64_t over = std::max<int64_t>(static_cast<int64_t>(ops), kUsualOps);
  return kSearchSteps / over * kUsualOps / over * kUsualOps / over * kUsualOps;
}

/// A part and what is known about it.
struct Task {
  Part part;
  FoundOrder best;
  int hub = -1;                       ///< as hub_bound has it
  int64_t beam_states_per_width = 1;  ///< as the last beam search had them
};

class Reordering {
 public:
  Reordering(const OrderProblem& problem, int64_t max_states, const TimeLimit* time)
      : cuts_{.steps = kCutSteps, .time = time},
        budget_{.steps = search_steps(problem.ops.size()), .time = time},
        states_left_(max_states) {
    for (Part& part : split(problem, &cuts_)) {
      const Order file = original_order(part.problem), greedy = greedy_order(part.problem);
      const Order& better = greedy.peak_bytes < file.peak_bytes ? greedy : file;
      bound_bytes_ = std::max(bound_bytes_, cut_bound_bytes(part.problem, &cuts_));
      HubBound beside{.bytes = bound_bytes_};
      if (bound_bytes_ < better.peak_bytes) beside = hub_bound(part.problem, bound_bytes_, &cuts_);
      bound_bytes_ = beside.bytes;
      tasks_.push_back({.part = std::move(part),
                        .best = {.ops = better.ops, .peak_bytes = better.peak_bytes},
                        .hub = beside.hub,
                        .beam_states_per_width = 1});
    }
  }

  Order run() {
    const int64_t all_states = states_left_;
    for (Task& task : tasks_) {
      if (task.hub >= 0) search_beside(task);
      search_narrow_beams(task);
      search_windows(task);
    }
    for (Task* task : by_peak()) search_exactly(*task);
    for (Task* task : by_peak()) {
      search_wide_beams(*task);
      search_windows(*task);
    }
    Order result{.ops = {}, .lower_bound_bytes = bound_bytes_};
    for (const Task& task : tasks_) {
      for (const int op : task.best.ops) result.ops.push_back(task.part.ops[index(op)]);
      result.peak_bytes = std::max(result.peak_bytes, task.best.peak_bytes);
    }
    result.states = all_states - states_left_;
    return result;
  }

 private:
  /// The part with the largest peak first: others need not be better than what it comes to.
  std::vector<Task*> by_peak() {
    std::vector<Task*> result;
    for (Task& task : tasks_) result.push_back(&task);
    std::stable_sort(result.begin(), result.end(), [](const Task* a, const Task* b) {
      return a->best.peak_bytes > b->best.peak_bytes;
    });
    return result;
  }

  [[nodiscard]] bool over(const Task& task) const {
    return task.best.peak_bytes <= bound_bytes_ || budget_.spent();
  }

  struct Beam {
    Direction direction;
    int64_t width, states;
  };
  void search_beam(Task& task, const Beam& beam) {
    if (over(task)) return;
    const OrderLinks links(task.part.problem);
    BeamResult result = beam_search(task.part.problem, links, beam.direction,
                                    {.width = beam.width,
                                     .states = beam.states,
                                     .at_least = bound_bytes_,
                                     .below = task.best.peak_bytes,
                                     .budget = &budget_});
    states_left_ -= result.states;
    task.beam_states_per_width = result.states / beam.width + 1;
    if (result.found) task.best = std::move(*result.found);
  }

  /// Ever wider, while it costs a small share of the states that are left.
  void search_narrow_beams(Task& task) {
    for (int64_t width = 4; width <= 256; width *= 4) {
      if (width * task.beam_states_per_width > states_left_ / 16) return;
      search_beam(task, {Direction::kForward, width, states_left_ / 8});
      search_beam(task, {Direction::kBackward, width, states_left_ / 8});
    }
  }

  /// Beams are as wide as the states that are left allow.
  void search_wide_beams(Task& task) {
    for (const Direction direction : {Direction::kForward, Direction::kBackward}) {
      const int64_t states = direction == Direction::kForward ? states_left_ / 2 : states_left_;
      const int64_t width = states / task.beam_states_per_width;
      if (width > 4) search_beam(task, {direction, width, states});
    }
  }

  void search_windows(Task& task) {
    if (over(task)) return;
    states_left_ -= improve_windows(
        task.part.problem, task.best,
        {.at_least = bound_bytes_, .states = states_left_ / 16, .budget = &budget_});
  }

  /// All that can be executed beside the hub first. Beams and searches find late what it is to
  /// hold its parts instead.
  void search_beside(Task& task) {
    if (over(task)) return;
    const OrderProblem& problem = task.part.problem;
    const std::vector<int> beside = all_beside(problem, task.hub);
    std::vector<int> all(problem.ops.size()), rest;
    std::iota(all.begin(), all.end(), 0);
    std::ranges::set_difference(all, beside, std::back_inserter(rest));
    FoundOrder order{.ops = {}, .peak_bytes = bound_bytes_};
    for (const Part& part : {part_of(problem, {}, beside), part_of(problem, beside, rest)}) {
      const SearchResult result =
          search_from_both_ends(part.problem, {.at_least = order.peak_bytes,
                                               .below = task.best.peak_bytes,
                                               .states = states_left_ / 32,
                                               .budget = &budget_});
      states_left_ -= result.states;
      if (!result.found) return;
      order.peak_bytes = result.found->peak_bytes;
      for (const int op : result.found->ops) order.ops.push_back(part.ops[index(op)]);
    }
    task.best = std::move(order);
  }

  void search_exactly(Task& task) {
    if (over(task)) return;
    SearchResult result = search_from_both_ends(task.part.problem, {.at_least = bound_bytes_,
                                                                    .below = task.best.peak_bytes,
                                                                    .states = states_left_ / 2,
                                                                    .budget = &budget_});
    states_left_ -= result.states;
    bound_bytes_ = result.bound_bytes;
    if (result.found) task.best = std::move(*result.found);
  }

  OrderBudget cuts_, budget_;
  std::vector<Task> tasks_;
  int64_t bound_bytes_ = 0;  ///< of the whole
  int64_t states_left_;
};

}  // namespace

Order reorder(const OrderProblem& problem, int64_t max_states, const TimeLimit* time) {
  Order best = original_order(problem);
  const Order greedy = greedy_order(problem);
  if (greedy.peak_bytes < best.peak_bytes) best = greedy;
  if (best.proven_optimal) return best;
  const FoldedRuns folded = fold_runs(problem);
  const Order found = Reordering(folded.problem, max_states, time).run();
  if (found.peak_bytes < best.peak_bytes) {
    best.ops.clear();
    for (const int op : found.ops) {
      const std::vector<int>& run = folded.runs[index(op)];
      best.ops.insert(best.ops.end(), run.begin(), run.end());
    }
    best.peak_bytes = found.peak_bytes;
  }
  best.lower_bound_bytes = std::max(best.lower_bound_bytes, found.lower_bound_bytes);
  best.proven_optimal = best.peak_bytes == best.lower_bound_bytes;
  best.states = found.states;
  return best;
}

}  // namespace thimble
