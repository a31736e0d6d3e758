// SPDX-License-Identifier: Apache-2.0
#include "thimble/planners/stream.h"

#include <fmt/format.h>

#include <algorithm>

#include "thimble/model/error.h"
#include "thimble/planners/best_cut.h"
#include "thimble/planners/execution.h"
#include "thimble/planners/stream_schedule.h"
#include "thimble/planners/turn_inputs.h"
#include "thimble/planners/whole_operators.h"

namespace thimble {
namespace {

constexpr int kMostOps = 128;  // in a span

struct StreamOptions {
  std::vector<Granularity> granularities;
  int64_t enough_bytes = 0;
};

StreamOptions stream_options(const Limits& limits, const PlannerOptions& options) {
  const auto it = options.find("granularity");
  const std::string which = it == options.end() ? "auto" : it->second;
  if (which != "row" && which != "pixel" && which != "auto") {
    throw CompileError("--planner",
                       fmt::format("granularity={} is none of row, pixel and auto", which));
  }
  StreamOptions result{.granularities = {}, .enough_bytes = limits.sram_bytes.value_or(0)};
  if (which != "pixel") result.granularities.push_back(Granularity::kRow);
  if (which != "row") result.granularities.push_back(Granularity::kPixel);
  return result;
}

/// The best cut of an order into spans of rows, loops over channels and single operators.
StreamPlan best_plan(const Graph& graph, const OrderProblem& problem, const std::vector<int>& order,
                     const StreamOptions& options) {
  const StreamSpans rows(graph, problem, order, {});
  const std::vector<int64_t>& single = rows.single_bytes();
  const int64_t most = *std::ranges::max_element(single);
  std::vector<StreamSpan> spans;
  for (const Granularity granularity : options.granularities) {
    for (StreamSpan& s : rows.all(most, kMostOps, granularity)) spans.push_back(std::move(s));
  }
  const ChannelPieces loops(graph, problem, order, single, {});
  std::vector<CutPiece> pieces;
  for (const StreamSpan& s : spans) {
    const int ops = s.end - s.begin;
    pieces.push_back({s.begin,
                      s.end,
                      {.peak_bytes = s.bytes, .by_pixels = s.columns ? ops : 0, .in_pieces = ops}});
  }
  for (const ChannelPieces::Candidate& c : loops.candidates())
    pieces.push_back({c.placed.begin, c.placed.end, c.cost});
  const BestCut cut = best_cut(single, pieces, options.enough_bytes);
  StreamPlan plan{.order = order, .spans = {}, .loops = {}, .peak_bytes = cut.peak_bytes};
  for (const int p : cut.pieces) {
    if (index(p) < spans.size()) {
      plan.spans.push_back(std::move(spans[index(p)]));
      continue;
    }
    PlacedLoop placed = loops.candidates()[index(p) - spans.size()].placed;
    placed.step = loops.most_channels(placed, std::max(cut.peak_bytes, options.enough_bytes));
    plan.loops.push_back(std::move(placed));
  }
  return plan;
}

/// Of the file's order and that of the least peak.
StreamPlan best_plan(const Graph& graph, const OrderProblem& problem,
                     const StreamOptions& options) {
  const std::vector<int> file = original_order(problem).ops;
  StreamPlan best = best_plan(graph, problem, file, options);
  const std::vector<int> reordered = reorder(problem).ops;
  if (reordered == file) return best;
  StreamPlan other = best_plan(graph, problem, reordered, options);
  return other.peak_bytes < best.peak_bytes ? std::move(other) : std::move(best);
}

std::string summary(const OrderProblem& problem, const StreamPlan& plan) {
  int in_spans = 0, by_pixels = 0, in_loops = 0;
  for (const StreamSpan& placed : plan.spans) {
    in_spans += placed.end - placed.begin;
    by_pixels += placed.columns ? placed.end - placed.begin : 0;
  }
  for (const PlacedLoop& placed : plan.loops) in_loops += placed.end - placed.begin;
  std::string text = fmt::format("{} of {} operators execute row by row in {} spans", in_spans,
                                 problem.ops.size(), plan.spans.size());
  if (by_pixels > 0) text += fmt::format(" ({} of them pixel by pixel)", by_pixels);
  if (in_loops > 0)
    text += fmt::format(", {} in {} loops over channels", in_loops, plan.loops.size());
  return text + fmt::format("; peak {} B", plan.peak_bytes);
}

}  // namespace

PlannerAnswer plan_stream(const Graph& graph, const Limits& limits, const PlannerOptions& given) {
  OrderProblem problem = order_problem(graph, limits.in_place);
  const StreamOptions options = stream_options(limits, given);
  StreamPlan best = best_plan(graph, problem, options);
  std::optional<Graph> turned;
  if (limits.in_place && best.peak_bytes > options.enough_bytes) turned = with_turned_inputs(graph);
  if (turned) {
    OrderProblem other_problem = order_problem(*turned, limits.in_place);
    StreamPlan other = best_plan(*turned, other_problem, options);
    if (other.peak_bytes < best.peak_bytes) {
      best = std::move(other);
      problem = std::move(other_problem);
    } else {
      turned.reset();
    }
  }
  const Graph& planned = turned ? *turned : graph;
  Planned result{.schedule = stream_schedule(planned, problem, best, limits.in_place),
                 .lower_bound_bytes = 0,
                 .notes = {}};
  if (turned) result.schedule = turn_inputs(graph, *turned, std::move(result.schedule));
  for (const auto* ports : {&problem.inputs, &problem.outputs}) {
    int64_t bytes = 0;
    for (const int t : *ports) bytes += problem.size_bytes[index(t)];
    result.lower_bound_bytes = std::max(result.lower_bound_bytes, bytes);
  }
  result.notes.push_back(summary(problem, best));
  if (turned) result.notes.push_back("the input is brought to row-major order first, in place");
  return result;
}

}  // namespace thimble
