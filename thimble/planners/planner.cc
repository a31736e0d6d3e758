// SPDX-License-Identifier: Apache-2.0
#include "thimble/planners/planner.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "thimble/model/error.h"
#include "thimble/planners/order.h"
#include "thimble/planners/patch.h"
#include "thimble/planners/pex.h"
#include "thimble/planners/stream.h"
#include "thimble/planners/whole_operators.h"

namespace thimble {
namespace {

int64_t number_option(const PlannerOptions& options, const std::string& key, int64_t otherwise) {
  const auto it = options.find(key);
  if (it == options.end()) return otherwise;
  int64_t value = 0;
  const char* end = it->second.data() + it->second.size();
  const auto [stop, error] = std::from_chars(it->second.data(), end, value);
  if (error != std::errc{} || stop != end || value < 1) {
    throw CompileError("--planner",
                       fmt::format("{}={} is not a number of at least 1", key, it->second));
  }
  return value;
}

Planned planned(const Graph& graph, const OrderProblem& problem, const Order& order,
                bool in_place) {
  Planned result{.schedule = whole_operator_schedule(graph, problem, order, in_place),
                 .lower_bound_bytes = order.lower_bound_bytes,
                 .proven_optimal = order.proven_optimal,
                 .notes = {}};
  return result;
}

PlannerAnswer plan_original(const Graph& graph, const Limits& limits, const PlannerOptions&) {
  const OrderProblem problem = order_problem(graph, limits.in_place);
  return planned(graph, problem, original_order(problem), limits.in_place);
}

PlannerAnswer plan_greedy(const Graph& graph, const Limits& limits, const PlannerOptions&) {
  const OrderProblem problem = order_problem(graph, limits.in_place);
  return planned(graph, problem, greedy_order(problem), limits.in_place);
}

PlannerAnswer plan_reorder(const Graph& graph, const Limits& limits,
                           const PlannerOptions& options) {
  const OrderProblem problem = order_problem(graph, limits.in_place);
  const Order order = reorder(problem, number_option(options, "states", 2'000'000));
  Planned result = planned(graph, problem, order, limits.in_place);
  result.notes.push_back(
      order.proven_optimal
          ? fmt::format("no order of whole operators has a smaller peak{}",
                        order.states == 0 ? " (it is the largest working set that none can avoid)"
                                          : fmt::format(" ({} states searched)", order.states))
          : fmt::format(
                "{} states searched without a proof (option states): peak {} B, no order has "
                "less than {} B (gap {:.1f} %)",
                order.states, order.peak_bytes, order.lower_bound_bytes,
                100.0 * static_cast<double>(order.peak_bytes - order.lower_bound_bytes) /
                    static_cast<double>(order.lower_bound_bytes)));
  return result;
}

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

PlannerAnswer channel_loops(const Graph& graph, const Limits& limits, const OrderProblem& problem,
                            PexOptions options) {
  options.budget_bytes = limits.sram_bytes;
  const Order file = original_order(problem);
  PexPlan best = pex(graph, problem, file.ops, options);
  const bool only_order = is_only_order(problem, file.ops);
  if (!only_order) {
    PexPlan other = pex(graph, problem, reorder(problem).ops, options);
    if (other.peak_bytes < best.peak_bytes) best = std::move(other);
  }
  Planned result{.schedule = pex_schedule(graph, problem, best, limits.in_place),
                 .lower_bound_bytes = 0,
                 .proven_optimal = only_order && !limits.sram_bytes,
                 .notes = {}};
  for (const auto* ports : {&problem.inputs, &problem.outputs}) {
    int64_t bytes = 0;
    for (const int t : *ports) bytes += problem.size_bytes[static_cast<size_t>(t)];
    result.lower_bound_bytes = std::max(result.lower_bound_bytes, bytes);
  }
  if (result.proven_optimal) result.lower_bound_bytes = best.peak_bytes;
  size_t in_loops = 0;
  for (const PlacedLoop& placed : best.loops) in_loops += placed.loop.ops.size();
  result.notes.push_back(fmt::format(
      "{} of {} operators execute in {} loops over channels, with accumulators of 32 bits; peak {} "
      "B{}",
      in_loops, problem.ops.size(), best.loops.size(), best.peak_bytes,
      result.proven_optimal ? ", and no other cut into loops has less" : ""));
  return result;
}

PlannerAnswer plan_pex(const Graph& graph, const Limits& limits, const PlannerOptions& options) {
  const auto accounting = options.find("accounting");
  const bool paper = accounting != options.end() && accounting->second == "paper";
  if (accounting != options.end() && !paper && accounting->second != "exact") {
    throw CompileError("--planner",
                       fmt::format("accounting={} is neither paper nor exact", accounting->second));
  }
  if (number_option(options, "accumulators", 32) != 32) {
    throw CompileError("--planner", "accumulators of 32 bits are supported, others not yet");
  }
  const OrderProblem problem = order_problem(graph, limits.in_place);
  return channel_loops(graph, limits, paper ? paper_accounting(problem) : problem,
                       {.most_channels = !paper});
}

PlannerAnswer plan_depthwise_tiling(const Graph& graph, const Limits& limits,
                                    const PlannerOptions&) {
  return channel_loops(graph, limits, order_problem(graph, limits.in_place), {.pairs = true});
}

}  // namespace

const std::vector<Planner>& planners() {
  static const std::vector<Planner> all = {
      {"original", "whole operators in the order of the file", {}, plan_original},
      {"greedy",
       "whole operators; next, the one that leaves the fewest live bytes",
       {},
       plan_greedy},
      {"reorder",
       "whole operators in the order with the least peak memory (Liberis & Lane 2019)",
       {{"states",
         "sets of executed operators to look at, about; past them, the best order found and the "
         "gap "
         "to the proven bound (2000000)"}},
       plan_reorder},
      {"depthwise_tiling",
       "operators that generate and accumulate channels, fused and tiled along them (FDT, 2023)",
       {},
       plan_depthwise_tiling},
      {"patch",
       "the first stage in patches with recomputed halo, then whole operators (MCUNetV2, Lin et "
       "al. 2021)",
       {{"patches", "along each axis of the image, at least 2 (those with the least peak)"},
        {"split", "number of the operator in the file that ends the stage (that of least peak)"},
        {"accounting",
         "paper: the split tensor has bytes of its own; exact: it may lie over inputs that "
         "patches have used up (exact)"}},
       plan_patch},
      {"stream",
       "spans of operators execute row by row, in rings, with outputs over consumed inputs",
       {},
       plan_stream},
      {"pex",
       "operators execute together, some channels at a time (Liberis & Lane 2023)",
       {{"accounting",
         "paper: only joins of several tensors in place; exact: all that the kernels can (exact)"},
        {"accumulators", "bits of an accumulator: 32, which is exact (32)"}},
       plan_pex},
  };
  return all;
}

PlannerChoice choose_planner(const std::string& spec) {
  const size_t colon = spec.find(':');
  const std::string name = spec.substr(0, colon);
  PlannerChoice choice;
  std::string names;
  for (const Planner& planner : planners()) {
    if (name == planner.name) choice.planner = &planner;
    names += (names.empty() ? "" : ", ") + std::string(planner.name);
  }
  if (choice.planner == nullptr) {
    throw CompileError("--planner",
                       fmt::format("there is no planner '{}'; there are: {}", name, names));
  }
  std::string rest = colon == std::string::npos ? "" : spec.substr(colon + 1);
  while (!rest.empty()) {
    const size_t comma = rest.find(',');
    const std::string pair = rest.substr(0, comma);
    rest = comma == std::string::npos ? "" : rest.substr(comma + 1);
    const size_t equals = pair.find('=');
    const std::string key = pair.substr(0, equals);
    if (equals == std::string::npos || !choice.planner->options.contains(key)) {
      std::string keys;
      for (const auto& [known, meaning] : choice.planner->options)
        keys += (keys.empty() ? "" : ", ") + known;
      throw CompileError("--planner",
                         fmt::format("'{}' is no option of {}; options (key=value): {}", pair, name,
                                     keys.empty() ? "none" : keys));
    }
    choice.options[key] = pair.substr(equals + 1);
  }
  return choice;
}

}  // namespace thimble
