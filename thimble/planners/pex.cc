// SPDX-License-Identifier: Apache-2.0
#include "thimble/planners/pex.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "thimble/model/error.h"
#include "thimble/plan/order_problem.h"
#include "thimble/planners/channel_cut.h"
#include "thimble/planners/loop_search.h"

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

/// No loops and no order need less: each tensor that some loop might slice counts one channel.
int64_t bound_bytes(const ChannelSlicing& rules, OrderProblem problem, int64_t states,
                    const TimeLimit* time) {
  for (size_t t = 0; t < problem.size_bytes.size(); ++t) {
    if (problem.size_bytes[t] > 0)
      problem.size_bytes[t] /= rules.most_slices({static_cast<int32_t>(t)});
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
  Orders(ChannelGroups& groups, const OrderProblem& problem, const ChannelCutOptions& options,
         const SearchEffort& effort)
      : groups_(groups),
        problem_(problem),
        options_(options),
        time_(effort.time),
        states_left_(effort.states),
        best_(channel_cut(groups, problem, original_order(problem).ops, options)) {
    take(reorder(problem, kOrderStates, time_).ops);
  }

  /// The best cut of the best order found. Searches with the loops that gain on their own first,
  /// from each cut that is known, then with all from the best.
  ChannelCut search() {
    const std::vector<LoopSet> all = loop_sets(problem_, groups_, {.pairs = options_.pairs});
    std::vector<LoopSet> gaining;
    std::ranges::copy_if(all, std::back_inserter(gaining),
                         [](const LoopSet& s) { return s.bytes < s.bytes_one_by_one; });
    const std::vector<ChannelCut> starts = known_;
    for (const ChannelCut& start : starts) improve(gaining, start);
    improve(all, best_);
    return best_;
  }

  [[nodiscard]] int64_t states() const { return states_; }
  [[nodiscard]] bool ended() const { return ended_; }

 private:
  /// Less memory where it is not enough yet, then less loss, then fewer instructions.
  [[nodiscard]] bool better(const ChannelCut& a, const ChannelCut& b) const {
    const auto key = [&](const ChannelCut& cut) {
      return std::tuple(std::max(cut.peak_bytes, options_.budget_bytes.value_or(0)),
                        summed_in(groups_, cut, DType::kInt8),
                        summed_in(groups_, cut, DType::kInt16), cut.instructions);
    };
    return key(a) < key(b);
  }

  void take(const std::vector<int>& order) {
    ChannelCut cut = channel_cut(groups_, problem_, order, options_);
    known_.push_back(cut);
    if (better(cut, best_)) best_ = std::move(cut);
  }

  void improve(const std::vector<LoopSet>& sets, const ChannelCut& from) {
    if (states_left_ <= 0) {
      ended_ = false;
      return;
    }
    std::vector<LoopSet> start;
    for (const PlacedGroup& placed : from.groups)
      start.push_back(loop_set(problem_, *placed.group));
    const LoopChoice found = search_loops(
        problem_, sets, start,
        {.states = states_left_, .budget_bytes = options_.budget_bytes.value_or(0), .time = time_});
    states_left_ -= found.states;
    states_ += found.states;
    ended_ = found.ended;
    std::vector<int> order;
    for (const std::vector<int>& group : found.order)
      order.insert(order.end(), group.begin(), group.end());
    take(order);
  }

  ChannelGroups& groups_;
  const OrderProblem& problem_;
  const ChannelCutOptions& options_;
  const TimeLimit* time_;
  int64_t states_left_;
  int64_t states_ = 0;
  bool ended_ = true;  ///< the last search had no state too few
  std::vector<ChannelCut> known_;
  ChannelCut best_;
};

note::ChannelLoops summary(const ChannelGroups& groups, const ChannelCut& cut) {
  note::ChannelLoops result{.ops = static_cast<int64_t>(groups.dataflow().instances.list.size()),
                            .loops = static_cast<int64_t>(cut.groups.size()),
                            .sums_of_32 = summed_in(groups, cut, DType::kInt32),
                            .sums_of_16 = summed_in(groups, cut, DType::kInt16),
                            .sums_of_8 = summed_in(groups, cut, DType::kInt8),
                            .peak_bytes = cut.peak_bytes};
  for (const PlacedGroup& placed : cut.groups) result.ops_in_loops += placed.end - placed.begin;
  return result;
}

struct Task {
  ChannelCutOptions options;
  DType narrowest_sums = DType::kInt32;
  bool paper_accounting = false;
  int64_t states = 0;
};

PlannerDecision channel_loops(const Graph& graph, const Limits& limits, Task task) {
  const Instances instances = instances_of(graph, limits.ports);
  const AxisGraph axes(graph);
  const Dataflow flow(axes, instances);
  OrderProblem problem = order_problem(graph, instances, limits.in_place);
  if (task.paper_accounting) problem = paper_accounting(std::move(problem));
  task.options.budget_bytes = limits.sram_bytes;
  const LatencyModel model = latency_model_for(limits.core);
  LatencyEstimate latency(flow, limits.core, model);
  if (limits.sram_bytes && !task.paper_accounting) task.options.latency = &latency;
  ChannelGroups groups(flow, task.narrowest_sums);
  const Order file = original_order(problem);
  ChannelCut best;
  Decision result{.plan = {}, .notes = {}, .scale_source = "bound from the weights"};
  note::ChannelLoopSearch searched;
  if (is_only_order(problem, file.ops)) {
    best = channel_cut(groups, problem, file.ops, task.options);
    result.lower_bound_bytes = limits.sram_bytes ? 0 : best.peak_bytes;
  } else {
    Orders orders(groups, problem, task.options, {.states = task.states, .time = limits.time});
    best = orders.search();
    searched = {.states = orders.states(), .ended = orders.ended()};
  }
  if (result.lower_bound_bytes == 0)
    result.lower_bound_bytes = bound_bytes(groups.rules(), problem, kStatesOfBound, limits.time);
  result.proven_optimal = best.peak_bytes == result.lower_bound_bytes;
  result.notes.push_back(summary(groups, best));
  if (!limits.sram_bytes) {
    searched.peak_bytes = best.peak_bytes;
    searched.lower_bound_bytes = result.lower_bound_bytes;
    result.notes.push_back(searched);
  }
  result.plan = plan_of(groups, problem, best, limits.in_place);
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

PlannerDecision plan_pex(const Graph& graph, const Limits& limits, const PlannerOptions& options) {
  const bool paper = wants_paper_accounting(options);
  return channel_loops(graph, limits,
                       {.options = {.most_channels = !paper},
                        .narrowest_sums = narrowest_sums(options),
                        .paper_accounting = paper,
                        .states = states(options)});
}

PlannerDecision plan_depthwise_tiling(const Graph& graph, const Limits& limits,
                                      const PlannerOptions& options) {
  return channel_loops(graph, limits, {.options = {.pairs = true}, .states = states(options)});
}

}  // namespace thimble
