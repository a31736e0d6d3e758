// SPDX-License-Identifier: Apache-2.0
#include "thimble/planners/stream.h"

#include <fmt/format.h>

#include <algorithm>

#include "thimble/model/error.h"
#include "thimble/planners/best_cut.h"
#include "thimble/planners/execution.h"
#include "thimble/planners/stream_schedule.h"
#include "thimble/planners/whole_operators.h"

namespace thimble {
namespace {

constexpr int kMostOps = 48;  // in a span

/// Tensors of the ports, if rows pass there.
std::vector<TensorId> passing(const std::vector<Port>& ports, Place place) {
  std::vector<TensorId> result;
  for (const Port& port : ports) {
    if (place == Place::kStreamed) result.push_back(port.tensor);
  }
  return result;
}

StreamPlan best_spans(const Graph& graph, const OrderProblem& problem,
                      const std::vector<int>& order, const Limits& limits) {
  const int64_t enough_bytes = limits.sram_bytes.value_or(0);
  const StreamSpans spans(graph, problem, order, passing(graph.inputs, limits.ports.input),
                          passing(graph.outputs, limits.ports.output));
  const std::vector<int64_t>& single = spans.single_bytes();
  const int64_t most = *std::ranges::max_element(single);
  std::vector<StreamSpan> all = spans.all(most, kMostOps);
  std::vector<CutPiece> pieces;
  for (const StreamSpan& s : all) pieces.push_back({s.begin, s.end, s.bytes});
  BestCut cut = best_cut(single, pieces);
  if (cut.peak_bytes == StreamSpans::kImpossible)
    return {.order = order, .spans = {}, .peak_bytes = cut.peak_bytes, .why = spans.obstacle()};
  cut = best_cut(single, pieces, std::max(cut.peak_bytes, enough_bytes));
  StreamPlan plan{.order = order, .spans = {}, .peak_bytes = cut.peak_bytes, .why = {}};
  for (const int p : cut.pieces) plan.spans.push_back(std::move(all[index(p)]));
  return plan;
}

}  // namespace

PlannerAnswer plan_stream(const Graph& graph, const Limits& limits, const PlannerOptions&) {
  const OrderProblem problem = order_problem(graph, limits.in_place, limits.ports);
  const std::vector<int> file = original_order(problem).ops;
  StreamPlan best = best_spans(graph, problem, file, limits);
  const std::vector<int> reordered = reorder(problem).ops;
  if (reordered != file) {
    StreamPlan other = best_spans(graph, problem, reordered, limits);
    if (other.peak_bytes < best.peak_bytes) best = std::move(other);
  }
  if (best.peak_bytes == StreamSpans::kImpossible) {
    throw CompileError(limits.ports.input == Place::kStreamed ? "--input" : "--output",
                       fmt::format("this network's cannot be streamed: {}", best.why));
  }
  Planned result{.schedule = stream_schedule(graph, problem, best, limits.in_place),
                 .lower_bound_bytes = 0,
                 .notes = {}};
  for (const auto* ports : {&problem.inputs, &problem.outputs}) {
    int64_t bytes = 0;
    for (const int t : *ports) bytes += problem.size_bytes[index(t)];
    result.lower_bound_bytes = std::max(result.lower_bound_bytes, bytes);
  }
  size_t in_spans = 0;
  for (const StreamSpan& placed : best.spans) in_spans += index(placed.end - placed.begin);
  result.notes.push_back(
      fmt::format("{} of {} operators execute in {} spans, row by row; peak {} B", in_spans,
                  problem.ops.size(), best.spans.size(), best.peak_bytes));
  return result;
}

}  // namespace thimble
