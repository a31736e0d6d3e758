// SPDX-License-Identifier: Apache-2.0
#include "thimble/planners/stream.h"

#include <fmt/format.h>

#include <algorithm>

#include "thimble/model/error.h"
#include "thimble/plan/build.h"
#include "thimble/plan/placement.h"
#include "thimble/planners/stream_search.h"

namespace thimble {
namespace {

/// Plans are compared by layouts that are quick, but the same on every machine.
constexpr int64_t kQuickLayoutWork = layout::kSearchWork / 5;
/// Peaks to try, in percent of what is enough, where the fastest plan within it cannot be laid out.
constexpr int64_t kLowerPeaks[] = {97, 94, 90, 85, 75};

StreamOptions stream_options(const Limits& limits, const PlannerOptions& options) {
  const auto it = options.find("granularity");
  const std::string which = it == options.end() ? "auto" : it->second;
  if (which != "row" && which != "pixel" && which != "auto") {
    throw CompileError("--planner",
                       fmt::format("granularity={} is none of row, pixel and auto", which));
  }
  StreamOptions result{.granularities = {},
                       .budget_bytes = limits.sram_bytes.value_or(0),
                       .rolls = {.in_place = limits.in_place}};
  if (which != "pixel") result.granularities.push_back(Granularity::kRow);
  if (which != "row") result.granularities.push_back(Granularity::kPixel);
  return result;
}

bool has_pixels(const StreamCut& cut) {
  return std::ranges::any_of(cut.pieces, [](const GroupCandidate& p) { return p.by_pixels; });
}

}  // namespace

PlannerDecision plan_stream(const Graph& graph, const Limits& limits,
                            const PlannerOptions& options) {
  KnownOrders orders;
  return plan_stream(graph, limits, options, orders);
}

// Outputs that lie over inputs move the addresses of everything around them, so that not every peak
// can be laid out. Then plans of one grain alone, or of less than the user has, may need fewer
// bytes.
PlannerDecision plan_stream(const Graph& graph, const Limits& limits, const PlannerOptions& given,
                            KnownOrders& orders) {
  const StreamOptions options = stream_options(limits, given);
  const AxisGraph axes(graph);
  const Instances instances = instances_of(graph, limits.ports);
  const Dataflow given_flow(axes, instances);
  const LatencyModel model = latency_model_for(limits.core);
  const LatencyEstimate known(given_flow, limits.core, model);
  std::vector<std::pair<Plan, int64_t>> laid_out;
  const auto arena_of = [&](const Decision& answer) {
    for (const auto& [plan, bytes] : laid_out) {
      if (plan == answer.plan) return bytes;
    }
    const Dataflow flow(axes, answer.plan.instances);
    const Placement placed =
        place(graph, build(flow, answer.plan),
              {.work = kQuickLayoutWork, .time = limits.time, .uses = &axes.kernel_uses()});
    laid_out.emplace_back(answer.plan, placed.arena_bytes());
    return placed.arena_bytes();
  };
  struct Found {
    Decision planned;
    StreamCut cut;
    int64_t arena_bytes;
  };
  const auto search = [&](const StreamOptions& wanted) -> Found {
    const StreamSearch searched(axes, limits, wanted, orders, known);
    const StreamAttempt best = searched.best();
    if (best.cut.peak_bytes == RolledGroups::kImpossible)
      return {Decision{}, best.cut, best.cut.peak_bytes};
    if (best.cut.peak_bytes <= options.budget_bytes) {
      Decision apart = searched.planned(best, true);
      const int64_t bytes = arena_of(apart);
      if (bytes <= options.budget_bytes) return {std::move(apart), best.cut, bytes};
    }
    Decision planned = searched.planned(best, false);
    const int64_t bytes = arena_of(planned);
    return {std::move(planned), best.cut, bytes};
  };
  auto [planned, cut, arena_bytes] = search(options);
  if (cut.peak_bytes == RolledGroups::kImpossible) {
    const bool by_pixels = options.granularities.front() == Granularity::kPixel;
    throw CompileError(
        "--output", fmt::format("this network's cannot be streamed: {}",
                                by_pixels ? "rows leave whole, which granularity=row or auto allows"
                                          : cut.why));
  }
  // Or the fault of alignment, or of a layout that is quick.
  const bool within_peak = arena_bytes <= cut.peak_bytes * 101 / 100;
  const bool peak_fits = cut.peak_bytes <= options.budget_bytes;
  if (arena_bytes <= options.budget_bytes || (within_peak && !peak_fits)) return std::move(planned);
  for (const int64_t percent : kLowerPeaks) {
    if (!peak_fits || late(limits.time)) break;
    StreamOptions lower = options;
    lower.budget_bytes = options.budget_bytes * percent / 100;
    Found next = search(lower);
    if (next.cut.peak_bytes <= options.budget_bytes && next.arena_bytes <= options.budget_bytes)
      return std::move(next.planned);
  }
  std::vector<StreamOptions> others;
  for (const int64_t enough : {options.budget_bytes, int64_t{0}}) {
    StreamOptions other = options;
    other.budget_bytes = enough;
    if (enough != options.budget_bytes) others.push_back(other);
    if (options.granularities.size() > 1) {
      for (const Granularity g : options.granularities) {
        other.granularities = {g};
        others.push_back(other);
      }
    }
    if (options.budget_bytes == 0) break;
  }
  bool in_pixels = has_pixels(cut);
  for (const StreamOptions& other : others) {
    if (late(limits.time)) break;
    const bool any_grain = other.granularities.size() > 1;
    if (!any_grain && other.granularities[0] == Granularity::kRow && !in_pixels) continue;  // known
    Found next = search(other);
    if (any_grain) in_pixels = has_pixels(next.cut);
    if (next.cut.peak_bytes == RolledGroups::kImpossible || next.arena_bytes >= arena_bytes)
      continue;
    arena_bytes = next.arena_bytes;
    planned = std::move(next.planned);
  }
  return std::move(planned);
}

}  // namespace thimble
