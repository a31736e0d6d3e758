// SPDX-License-Identifier: Apache-2.0
#include "thimble/planners/pex_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "thimble/model/error.h"
#include "thimble/planners/order.h"
#include "thimble/planners/pex.h"
#include "thimble/planners/whole_operators.h"

namespace thimble {
namespace {

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

/// No plan needs less than all inputs or all outputs of the network.
int64_t port_bytes(const OrderProblem& problem) {
  int64_t most = 0;
  for (const auto* ports : {&problem.inputs, &problem.outputs}) {
    int64_t bytes = 0;
    for (const int t : *ports) bytes += problem.size_bytes[static_cast<size_t>(t)];
    most = std::max(most, bytes);
  }
  return most;
}

std::string summary(const OrderProblem& problem, const PexPlan& plan, bool proven) {
  size_t in_loops = 0;
  for (const PlacedLoop& placed : plan.loops) in_loops += placed.loop.ops.size();
  std::string sums;
  for (const DType type : {DType::kInt32, DType::kInt16, DType::kInt8}) {
    if (const int count = plan.summed_in(type); count > 0) {
      sums += fmt::format("{}{} in {} bits", sums.empty() ? ", tensors summed: " : ", ", count,
                          8 * size_bytes(type));
    }
  }
  return fmt::format("{} of {} operators execute in {} loops over channels{}; peak {} B{}",
                     in_loops, problem.ops.size(), plan.loops.size(), sums, plan.peak_bytes,
                     proven ? ", and no other cut into loops has less" : "");
}

PlannerAnswer channel_loops(const Graph& graph, const Limits& limits, const OrderProblem& problem,
                            PexOptions options) {
  options.budget_bytes = limits.sram_bytes;
  const Order file = original_order(problem);
  PexPlan best = pex(graph, problem, file.ops, options);
  const bool only_order = is_only_order(problem, file.ops);
  if (!only_order) {
    PexPlan other = pex(graph, problem, reorder(problem).ops, options);
    if (better(other, best)) best = std::move(other);
  }
  const bool proven = only_order && !limits.sram_bytes;
  return Planned{.schedule = pex_schedule(graph, problem, best, limits.in_place),
                 .lower_bound_bytes = proven ? best.peak_bytes : port_bytes(problem),
                 .proven_optimal = proven,
                 .accumulators = pex_accumulators(graph, best),
                 .scale_source = "bound from the weights",
                 .notes = {summary(problem, best, proven)}};
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
  const OrderProblem problem = order_problem(graph, limits.in_place);
  return channel_loops(graph, limits, paper ? paper_accounting(problem) : problem,
                       {.most_channels = !paper, .narrowest_sums = narrowest_sums(options)});
}

PlannerAnswer plan_depthwise_tiling(const Graph& graph, const Limits& limits,
                                    const PlannerOptions&) {
  return channel_loops(graph, limits, order_problem(graph, limits.in_place), {.pairs = true});
}

}  // namespace thimble
