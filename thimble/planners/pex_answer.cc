// SPDX-License-Identifier: Apache-2.0
#include "thimble/planners/pex_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "thimble/model/error.h"
#include "thimble/planners/loop_search.h"
#include "thimble/planners/pex.h"
#include "thimble/planners/whole_operators.h"
#include "thimble/search/order.h"

namespace thimble {
namespace {

constexpr int64_t kStatesOfBound = 50'000;

/// Pex's own accounting: what joins several tensors accumulates into one of them, nothing else is
/// in place.
OrderProblem paper_accounting(OrderProblem problem) {
  for (OrderProblem::Op& op : problem.ops) {
    if (op.inputs.size() < 2) op.in_place.clear();
  }
  return problem;
}

/// Each operator reads what the one before it made: there is no other order.
bool is_only_order(const OrderProblem& problem, const std::vector<int>& order) {
  for (size_t at = 1; at < order.size(); ++at) {
    const std::vector<int>& made = problem.ops[static_cast<size_t>(order[at - 1])].outputs;
    const std::vector<int>& read = problem.ops[static_cast<size_t>(order[at])].inputs;
    if (std::ranges::find_first_of(made, read) == made.end()) return false;
  }
  return true;
}

/// Less memory, then less loss.
bool better(const PexPlan& a, const PexPlan& b) {
  const auto key = [](const PexPlan& plan) {
    return std::tuple(plan.peak_bytes, plan.summed_in(DType::kInt8), plan.summed_in(DType::kInt16));
  };
  return key(a) < key(b);
}

/// No loops and no order need less: each tensor that some loop might slice counts one channel.
int64_t bound_bytes(const ChannelLoops& rules, OrderProblem problem, int64_t states,
                    const TimeLimit* time) {
  for (size_t t = 0; t < problem.size_bytes.size(); ++t) {
    const int64_t channels = rules.most_slices(TensorId{static_cast<int32_t>(t)});
    problem.size_bytes[t] /= channels;
  }
  for (OrderProblem::Op& op : problem.ops) op.scratch_bytes = 0;
  return reorder(problem, states, time).lower_bound_bytes;
}

/// How long to look at orders.
struct SearchEffort {
  int64_t states = 0;
  const TimeLimit* time = nullptr;
};

/// What is known of a network with more than one order.
class Orders {
 public:
  Orders(const Graph& graph, const OrderProblem& problem, const PexOptions& options,
         const SearchEffort& effort)
      : graph_(graph),
        problem_(problem),
        options_(options),
        time_(effort.time),
        states_left_(effort.states) {
    best_ = pex(graph, problem, original_order(problem).ops, options);
    take(reorder(problem, kOrderStates, time_).ops);
  }

  /// The best cut of the best order found. Searches with the loops that gain on their own first,
  /// from each cut that is known, then with all from the best.
  PexPlan search() {
    const ChannelLoops rules(graph_);
    const std::vector<LoopSet> all = loop_sets(
        problem_, rules, {.pairs = options_.pieces.pairs, .sums = options_.pieces.narrowest_sums});
    std::vector<LoopSet> gaining;
    std::ranges::copy_if(all, std::back_inserter(gaining),
                         [](const LoopSet& s) { return s.bytes < s.bytes_one_by_one; });
    const std::vector<PexPlan> starts = known_;
    for (const PexPlan& start : starts) improve(rules, gaining, start);
    improve(rules, all, best_);
    return best_;
  }

  [[nodiscard]] int64_t states() const { return states_; }
  [[nodiscard]] bool ended() const { return ended_; }

 private:
  void take(const std::vector<int>& order) {
    PexPlan plan = pex(graph_, problem_, order, options_);
    known_.push_back(plan);
    if (better(plan, best_)) best_ = std::move(plan);
  }

  void improve(const ChannelLoops& rules, const std::vector<LoopSet>& sets, const PexPlan& from) {
    if (states_left_ <= 0) {
      ended_ = false;
      return;
    }
    std::vector<LoopSet> start;
    for (const PlacedLoop& placed : from.loops)
      start.push_back(loop_set(problem_, rules, placed.loop, options_.pieces.narrowest_sums));
    const LoopChoice found = search_loops(
        problem_, sets, start,
        {.states = states_left_, .enough_bytes = options_.budget_bytes.value_or(0), .time = time_});
    states_left_ -= found.states;
    states_ += found.states;
    ended_ = found.ended;
    std::vector<int> order;
    for (const std::vector<int>& group : found.order)
      order.insert(order.end(), group.begin(), group.end());
    take(order);
  }

  const Graph& graph_;
  const OrderProblem& problem_;
  const PexOptions& options_;
  const TimeLimit* time_;
  int64_t states_left_;
  int64_t states_ = 0;
  bool ended_ = true;  ///< the last search had no state too few
  std::vector<PexPlan> known_;
  PexPlan best_;
};

note::ChannelLoops summary(const OrderProblem& problem, const PexPlan& plan) {
  note::ChannelLoops result{.ops = static_cast<int64_t>(problem.ops.size()),
                            .loops = static_cast<int64_t>(plan.loops.size()),
                            .sums_of_32 = plan.summed_in(DType::kInt32),
                            .sums_of_16 = plan.summed_in(DType::kInt16),
                            .sums_of_8 = plan.summed_in(DType::kInt8),
                            .peak_bytes = plan.peak_bytes};
  for (const PlacedLoop& placed : plan.loops)
    result.ops_in_loops += static_cast<int64_t>(placed.loop.ops.size());
  return result;
}

PlannerAnswer channel_loops(const Graph& graph, const Limits& limits, const OrderProblem& problem,
                            PexOptions options, int64_t states) {
  options.budget_bytes = limits.sram_bytes;
  const Order file = original_order(problem);
  PexPlan best;
  Planned result{.scale_source = "bound from the weights"};
  note::ChannelLoopSearch searched;
  if (is_only_order(problem, file.ops)) {
    best = pex(graph, problem, file.ops, options);
    result.lower_bound_bytes = limits.sram_bytes ? 0 : best.peak_bytes;
  } else {
    Orders orders(graph, problem, options, {.states = states, .time = limits.time});
    best = orders.search();
    searched = {.states = orders.states(), .ended = orders.ended()};
  }
  if (result.lower_bound_bytes == 0)
    result.lower_bound_bytes =
        bound_bytes(ChannelLoops(graph), problem, kStatesOfBound, limits.time);
  result.proven_optimal = best.peak_bytes == result.lower_bound_bytes;
  result.notes.push_back(summary(problem, best));
  if (!limits.sram_bytes) {
    searched.peak_bytes = best.peak_bytes;
    searched.lower_bound_bytes = result.lower_bound_bytes;
    result.notes.push_back(searched);
  }
  result.schedule = pex_schedule(graph, problem, best, limits.in_place);
  result.accumulators = pex_accumulators(graph, best);
  return result;
}

int64_t states(const PlannerOptions& options) {
  return number_option(options, "states", 1).value_or(100'000);
}

DType narrowest_sums(const PlannerOptions& options) {
  switch (const int64_t bits = number_option(options, "accumulators", 1).value_or(32)) {
    case 32:
      return DType::kInt32;
    case 16:
      return DType::kInt16;
    case 8:
      return DType::kInt8;
    default:
      throw CompileError("--planner",
                         fmt::format("accumulators={} is none of 32, 16 and 8 bits", bits));
  }
}

}  // namespace

PlannerAnswer plan_pex(const Graph& graph, const Limits& limits, const PlannerOptions& options) {
  const bool paper = wants_paper_accounting(options);
  const OrderProblem problem = order_problem(graph, limits.in_place, limits.ports);
  return channel_loops(
      graph, limits, paper ? paper_accounting(problem) : problem,
      {.pieces = {.narrowest_sums = narrowest_sums(options)}, .most_channels = !paper},
      states(options));
}

PlannerAnswer plan_depthwise_tiling(const Graph& graph, const Limits& limits,
                                    const PlannerOptions& options) {
  return channel_loops(graph, limits, order_problem(graph, limits.in_place, limits.ports),
                       {.pieces = {.pairs = true}}, states(options));
}

}  // namespace thimble
