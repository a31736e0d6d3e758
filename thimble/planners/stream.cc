// SPDX-License-Identifier: Apache-2.0
#include "thimble/planners/stream.h"

#include <fmt/format.h>

#include <algorithm>

#include "thimble/model/error.h"
#include "thimble/operators/operators.h"
#include "thimble/plan/placement.h"
#include "thimble/planners/collect_input.h"
#include "thimble/planners/ports.h"
#include "thimble/planners/resident_first.h"
#include "thimble/planners/second_pass.h"
#include "thimble/planners/stream_candidates.h"
#include "thimble/planners/stream_schedule.h"
#include "thimble/planners/turn_inputs.h"
#include "thimble/planners/whole_operators.h"
#include "thimble/search/best_cut.h"
#include "thimble/search/execution.h"

namespace thimble {
namespace {

constexpr int kMostWithoutGain = 4;  // tensors computed twice, one after the other
// Rows inside of a loop over channels cost a call per row and channel: of a peak, what they save
// must be at least this part, unless that is what it takes to fit.
constexpr int64_t kLeastGainOfBoth = 32;
/// Plans are compared by layouts that are quick, but the same on every machine.
constexpr int64_t kQuickLayoutWork = layout::kSearchWork / 5;

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

/// Tensors of the ports, if rows pass there.
std::vector<TensorId> passing(const std::vector<Port>& ports, Place place) {
  std::vector<TensorId> result;
  for (const Port& port : ports) {
    if (place == Place::kStreamed) result.push_back(port.tensor);
  }
  return result;
}

/// Positions that no piece executes in less than `bytes`.
std::vector<bool> without_piece_below(int64_t bytes, const std::vector<int64_t>& single_bytes,
                                      const std::vector<CutPiece>& pieces) {
  std::vector<bool> result;
  for (const int64_t single : single_bytes) result.push_back(single >= bytes);
  for (const CutPiece& piece : pieces) {
    if (piece.cost.peak_bytes < bytes)
      std::fill(result.begin() + piece.begin, result.begin() + piece.end, false);
  }
  return result;
}

/// The best cut of an order into spans of rows, loops over channels, spans inside of these, and
/// single operators. Plans of `worthless_bytes` or more need not be found.
StreamPlan best_plan(const Graph& graph, const OrderProblem& problem, const std::vector<int>& order,
                     const Limits& limits, const StreamOptions& options, int64_t worthless_bytes) {
  const StreamSpans rows(graph, problem, order, limits.in_place,
                         passing(graph.inputs, limits.ports.input),
                         passing(graph.outputs, limits.ports.output));
  const std::vector<int64_t>& single = rows.single_bytes();
  const StreamCandidates possible(graph, problem, order, rows);
  std::vector<StreamCandidate> candidates;
  std::vector<CutPiece> pieces;  // the same
  BestCut cut;
  const auto add = [&](std::vector<StreamCandidate> more) {
    for (StreamCandidate& c : more) {
      pieces.push_back({c.piece.begin(), c.piece.end(), c.cost});
      candidates.push_back(std::move(c));
    }
  };
  const auto otherwise = [&](int64_t at_most) {
    std::vector<int64_t> bytes = single;
    for (int64_t& b : bytes) b = std::min(b, at_most);
    return bytes;
  };
  // What is slower is wanted only where it needs less than what is there already.
  const auto cut_again = [&] {
    cut = best_cut(single, pieces, options.enough_bytes);
    worthless_bytes = std::min(worthless_bytes, std::max(cut.peak_bytes, options.enough_bytes + 1));
  };
  add(possible.loops());
  for (const Granularity granularity : options.granularities) {
    add(possible.spans(otherwise(worthless_bytes), granularity));
    cut_again();
    if (cut.peak_bytes <= options.enough_bytes || cut.peak_bytes == StreamSpans::kImpossible)
      continue;
    const int64_t gain = worthless_bytes / kLeastGainOfBoth;
    const int64_t limit = std::max(worthless_bytes - gain, options.enough_bytes + 1);
    add(possible.sliced_spans(otherwise(limit), without_piece_below(limit, single, pieces),
                              granularity));
    cut_again();
  }
  StreamPlan plan{.order = order,
                  .pieces = {},
                  .over_input = {},
                  .peak_bytes = cut.peak_bytes,
                  .bottleneck = 0};
  if (cut.peak_bytes == StreamSpans::kImpossible) {
    const bool by_rows = options.granularities.front() == Granularity::kRow;
    plan.why = by_rows || limits.ports.output != Place::kStreamed
                   ? rows.obstacle()
                   : "rows leave whole, which granularity=row or auto allows";
    return plan;
  }
  for (const int p : cut.pieces) {
    StreamCandidate& chosen = candidates[index(p)];
    if (std::optional<PlacedLoop>& loop = chosen.piece.loop) {
      loop->step =
          most_channels(loop->loop, chosen.bytes, std::max(cut.peak_bytes, options.enough_bytes));
      plan.peak_bytes = std::max(plan.peak_bytes, chosen.bytes.with(loop->step));
    }
    plan.pieces.push_back(std::move(chosen.piece));
  }
  const std::vector<bool> bottleneck = without_piece_below(cut.peak_bytes, single, pieces);
  plan.bottleneck = static_cast<int>(std::ranges::find(bottleneck, true) - bottleneck.begin());
  const std::vector<int64_t> in_place = working_sets(problem, order);
  for (size_t at = 0; at < order.size(); ++at) {
    if (single[at] < in_place[at] && in_place[at] > std::max(plan.peak_bytes, options.enough_bytes))
      plan.over_input.push_back(OpId{order[at]});
  }
  return plan;
}

/// Of the file's order, that of the least peak, and one that suits spans.
StreamPlan best_plan(const Graph& graph, const OrderProblem& problem, const Limits& limits,
                     const StreamOptions& options, int64_t worthless_bytes) {
  std::vector<std::vector<int>> orders = {original_order(problem).ops};
  for (const std::vector<int>& order :
       {reorder(problem, kOrderStates, limits.time).ops, resident_first_order(graph)}) {
    if (std::ranges::find(orders, order) == orders.end()) orders.push_back(order);
  }
  std::optional<StreamPlan> best;
  for (const std::vector<int>& order : orders) {
    StreamPlan plan =
        best_plan(graph, problem, order, limits, options,
                  std::min(worthless_bytes, best ? best->peak_bytes : worthless_bytes));
    if (!best || plan.peak_bytes < best->peak_bytes) best = std::move(plan);
  }
  return std::move(*best);
}

note::Spans summary(const OrderProblem& problem, const StreamPlan& plan) {
  note::Spans result{.ops = static_cast<int64_t>(problem.ops.size()),
                     .peak_bytes = plan.peak_bytes};
  for (const StreamPiece& piece : plan.pieces) {
    const int ops = piece.end() - piece.begin();
    result.spans += piece.span ? 1 : 0;
    result.ops_in_spans += piece.span ? ops : 0;
    result.ops_by_pixels += piece.span && piece.span->columns ? ops : 0;
    result.loops += piece.loop ? 1 : 0;
    result.ops_in_loops += piece.loop ? ops : 0;
    result.ops_in_both += piece.span && piece.loop ? ops : 0;
  }
  return result;
}

/// A plan of a network some of whose operators stand twice.
struct Attempt {
  std::vector<SecondPass> passes;
  Doubled network;
  OrderProblem problem;
  StreamPlan plan;
  int64_t macs = 0;  ///< recomputed
};

Attempt attempt(const Graph& graph, std::vector<SecondPass> passes, const Limits& limits,
                const StreamOptions& options, int64_t worthless_bytes = StreamSpans::kImpossible) {
  Attempt result{.passes = std::move(passes)};
  result.network = doubled(graph, result.passes);
  result.problem = order_problem(result.network.graph, limits.in_place, limits.ports);
  result.plan = best_plan(result.network.graph, result.problem, limits, options, worthless_bytes);
  for (const SecondPass& pass : result.passes) result.macs += pass.macs;
  return result;
}

/// Computes tensors twice, the largest first, as long as the peak falls and the user allows it;
/// then leaves out what makes no difference.
Attempt best_attempt(const Graph& graph, const Limits& limits, const StreamOptions& options,
                     int64_t worthless_bytes) {
  const double most_macs = limits.max_recompute.value_or(0) * static_cast<double>(macs(graph));
  if (most_macs <= 0) return attempt(graph, {}, limits, options, worthless_bytes);
  Attempt best = attempt(graph, {}, limits, options);  // whatever it needs, it may come to less
  const auto good_enough = [&] { return best.plan.peak_bytes <= options.enough_bytes; };
  if (good_enough()) return best;
  std::vector<SecondPass> passes;
  int64_t recomputed = 0;
  int without_gain = 0;
  for (const SecondPass& pass : second_passes(graph)) {
    if (static_cast<double>(recomputed + pass.macs) > most_macs) continue;
    if (without_gain == kMostWithoutGain || good_enough() || late(limits.time)) break;
    passes.push_back(pass);
    recomputed += pass.macs;
    Attempt next = attempt(graph, passes, limits, options);
    const bool gains = next.plan.peak_bytes < best.plan.peak_bytes;
    without_gain = gains ? 0 : without_gain + 1;
    if (gains) best = std::move(next);
  }
  for (size_t k = best.passes.size(); k-- > 0;) {
    std::vector<SecondPass> fewer = best.passes;
    fewer.erase(fewer.begin() + static_cast<ptrdiff_t>(k));
    Attempt next = attempt(graph, fewer, limits, options);
    if (next.plan.peak_bytes <= std::max(best.plan.peak_bytes, options.enough_bytes))
      best = std::move(next);
  }
  return best;
}

/// Whether collecting the input may help: it is less than the peak, and what needs the most can be
/// in a span with one of its readers.
bool may_gain_by_collecting(const Graph& graph, const Attempt& attempt) {
  const TensorId input = graph.inputs[0].tensor;
  const int last_read = lives(attempt.problem, attempt.plan.order).last_read[input.index()];
  return graph.tensor(input).size_bytes() < attempt.plan.peak_bytes &&
         attempt.plan.bottleneck < last_read + StreamCandidates::kMostOps;
}

/// The plan with the least peak, and that; kImpossible and why if there is none.
struct Found {
  Planned planned;
  int64_t peak_bytes = 0;
  std::string why = {};
};

Found least_peak(const Graph& graph, const Limits& limits, const StreamOptions& options) {
  Attempt best = best_attempt(graph, limits, options, StreamSpans::kImpossible);
  const bool streamed = limits.ports.input == Place::kStreamed;
  std::optional<Graph> row_major;  // with the input whole and in that order, whatever brings it so
  if (best.plan.peak_bytes > options.enough_bytes) {
    if (streamed && (may_gain_by_collecting(graph, best) || limits.max_recompute.value_or(0) > 0))
      row_major = with_row_major_inputs(graph);
    if (limits.ports.input == Place::kResident && limits.in_place)
      row_major = with_turned_inputs(graph);
  }
  const note::InputCollected collected{.obstacle = best.plan.why,
                                       .passing_peak_bytes = best.plan.peak_bytes};
  if (row_major) {
    Limits whole = limits;
    whole.ports.input = Place::kResident;
    Attempt other = best_attempt(*row_major, whole, options, best.plan.peak_bytes);
    if (other.plan.peak_bytes < best.plan.peak_bytes ||
        best.plan.peak_bytes == StreamSpans::kImpossible) {
      best = std::move(other);
    } else {
      row_major.reset();
    }
  }
  if (best.plan.peak_bytes == StreamSpans::kImpossible)
    return {.planned = {}, .peak_bytes = StreamSpans::kImpossible, .why = best.plan.why};
  Planned result{
      .schedule = undoubled(best.network, stream_schedule(best.network.graph, best.problem,
                                                          best.plan, limits.in_place)),
      .lower_bound_bytes = 0,
      .notes = {summary(best.problem, best.plan)}};
  if (row_major && streamed) {
    result.schedule = collect_input(graph, std::move(result.schedule));
    result.notes.push_back(collected);
  } else if (row_major) {
    result.schedule = turn_inputs(graph, *row_major, std::move(result.schedule));
    result.notes.push_back(note::InputRelaid{});
  }
  if (!best.passes.empty()) {
    result.notes.push_back(note::Rematerialised{.tensors = static_cast<int64_t>(best.passes.size()),
                                                .macs = best.macs});
  }
  for (const auto* ports : {&best.problem.inputs, &best.problem.outputs}) {
    int64_t bytes = 0;
    for (const int t : *ports) bytes += best.problem.size_bytes[index(t)];
    result.lower_bound_bytes = std::max(result.lower_bound_bytes, bytes);
  }
  return {std::move(result), best.plan.peak_bytes};
}

}  // namespace

// Outputs that lie over inputs move the addresses of everything around them, so that not every peak
// can be laid out. Then plans of one grain alone, or of less than the user has, may need fewer
// bytes.
PlannerAnswer plan_stream(const Graph& graph, const Limits& limits, const PlannerOptions& given) {
  const StreamOptions options = stream_options(limits, given);
  Found found = least_peak(graph, limits, options);
  if (found.peak_bytes == StreamSpans::kImpossible) {
    throw CompileError("--output", fmt::format("this network's cannot be streamed: {}", found.why));
  }
  const auto arena_of = [&](const Planned& planned) {
    Schedule schedule = planned.schedule;
    place_ports(schedule, limits.ports);
    return place(graph, schedule, {.work = kQuickLayoutWork, .time = limits.time}).arena_bytes();
  };
  int64_t arena_bytes = arena_of(found.planned);
  // Or the fault of alignment, or of a layout that is quick.
  const bool within_peak = arena_bytes <= found.peak_bytes * 101 / 100;
  const bool peak_fits = found.peak_bytes <= options.enough_bytes;
  if (arena_bytes <= options.enough_bytes || (within_peak && !peak_fits))
    return std::move(found.planned);
  std::vector<StreamOptions> others;
  if (options.granularities.size() > 1) {
    for (const Granularity g : options.granularities) {
      others.push_back(options);
      others.back().granularities = {g};
    }
  }
  if (options.enough_bytes > 0) {
    others.push_back(options);
    others.back().enough_bytes = 0;
  }
  for (const StreamOptions& other : others) {
    if (late(limits.time)) break;
    Found next = least_peak(graph, limits, other);
    if (next.peak_bytes == StreamSpans::kImpossible) continue;
    const int64_t bytes = arena_of(next.planned);
    if (bytes >= arena_bytes) continue;
    arena_bytes = bytes;
    found = std::move(next);
  }
  return std::move(found.planned);
}

}  // namespace thimble
