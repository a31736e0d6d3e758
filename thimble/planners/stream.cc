// SPDX-License-Identifier: Apache-2.0
#include "thimble/planners/stream.h"

#include <fmt/format.h>

#include <algorithm>

#include "thimble/model/error.h"
#include "thimble/moves/relayout_inputs.h"
#include "thimble/moves/rematerialise.h"
#include "thimble/operators/operators.h"
#include "thimble/plan/build.h"
#include "thimble/plan/order_problem.h"
#include "thimble/plan/placement.h"
#include "thimble/planners/stream_cuts.h"

namespace thimble {
namespace {

constexpr int kMostWithoutGain = 4;  // rematerialised values, one after the other
/// Plans are compared by layouts that are quick, but the same on every machine.
constexpr int64_t kQuickLayoutWork = layout::kSearchWork / 5;
/// Of what is enough: peaks to try where the fastest plan within it cannot be laid out there.
constexpr int64_t kLowerPeaks[] = {97, 94, 90, 85, 75};

StreamOptions stream_options(const Limits& limits, const PlannerOptions& options) {
  const auto it = options.find("granularity");
  const std::string which = it == options.end() ? "auto" : it->second;
  if (which != "row" && which != "pixel" && which != "auto") {
    throw CompileError("--planner",
                       fmt::format("granularity={} is none of row, pixel and auto", which));
  }
  StreamOptions result{.granularities = {},
                       .enough_bytes = limits.sram_bytes.value_or(0),
                       .rolls = {.in_place = limits.in_place}};
  if (which != "pixel") result.granularities.push_back(Granularity::kRow);
  if (which != "row") result.granularities.push_back(Granularity::kPixel);
  return result;
}

/// Some instances, and the best cut of the best order of them.
struct Attempt {
  Instances instances;
  OrderProblem problem;
  StreamCut cut;
  std::vector<Rematerialisation> again;
};

class StreamSearch {
 public:
  /// All must outlive it.
  StreamSearch(const AxisGraph& axes, const Limits& limits, const StreamOptions& options,
               KnownOrders& orders, const LatencyEstimate& known)
      : graph_(axes.graph()),
        axes_(axes),
        limits_(limits),
        options_(options),
        orders_(orders),
        known_(known) {}

  /// Of the instances as they are, and with inputs relaid where that helps.
  Attempt best() const {
    const Instances given = instances_of(graph_, limits_.ports);
    Attempt best = with_rematerialisation(given, Rolls::kImpossible);
    if (best.cut.peak_bytes <= options_.enough_bytes || !limits_.in_place ||
        limits_.ports.input != Place::kResident)
      return best;
    if (const std::optional<Instances> relaid = relayout_inputs(graph_, given)) {
      Attempt other = with_rematerialisation(*relaid, best.cut.peak_bytes);
      if (other.cut.peak_bytes < best.cut.peak_bytes) return other;
    }
    return best;
  }

  /// apart: outputs lie over inputs only where there is no room for both.
  Decision planned(const Attempt& best, bool apart) const {
    const Dataflow flow(axes_, best.instances);
    LatencyEstimate latency(flow, known_);
    const RoomApart room =
        apart ? RoomApart{&latency, limits_.sram_bytes.value_or(0)} : RoomApart{};
    Decision result{.plan = stream_plan(flow, best.problem, best.cut, limits_.in_place, room),
                    .notes = {spans(best.instances, best.cut)}};
    add_notes(best, result.notes);
    for (const auto* ports : {&best.problem.inputs, &best.problem.outputs}) {
      int64_t bytes = 0;
      for (const int t : *ports) bytes += best.problem.size_bytes[static_cast<size_t>(t)];
      result.lower_bound_bytes = std::max(result.lower_bound_bytes, bytes);
    }
    return result;
  }

 private:
  /// Of the instances' own order, that of the least peak, and one that suits groups.
  Attempt attempt(Instances instances, int64_t worthless_bytes) const {
    Attempt result{.instances = std::move(instances), .problem = {}, .cut = {}, .again = {}};
    const Dataflow flow(axes_, result.instances);
    result.problem = order_problem(graph_, result.instances, limits_.in_place);
    ChannelGroups channels(flow, DType::kInt32);
    LatencyEstimate latency(flow, known_);
    std::optional<StreamCut> best;
    for (const std::vector<int>& order : orders_.of(flow, result.problem, limits_.time)) {
      StreamCuts cuts(channels, result.problem, order, options_);
      StreamCut cut =
          cuts.best(std::min(worthless_bytes, best ? worthless(*best) : worthless_bytes));
      if (std::optional<StreamCut> fastest = cuts.fastest(latency)) cut = std::move(*fastest);
      if (!best || better(cut, *best)) best = std::move(cut);
      if (late(limits_.time)) break;
    }
    result.cut = std::move(*best);
    return result;
  }

  /// The least peak or, where that is enough, the fewest instructions.
  [[nodiscard]] bool better(const StreamCut& a, const StreamCut& b) const {
    const auto cost = [&](const StreamCut& cut) {
      return std::pair(std::max(cut.peak_bytes, options_.enough_bytes), cut.instructions);
    };
    return cost(a) < cost(b);
  }
  [[nodiscard]] int64_t worthless(const StreamCut& best) const {
    return std::max(best.peak_bytes, options_.enough_bytes + 1);
  }

  /// Computes values again, the largest first, as long as the peak falls and the user allows it;
  /// then leaves out what makes no difference.
  Attempt with_rematerialisation(const Instances& instances, int64_t worthless_bytes) const {
    const double most_macs = limits_.max_recompute.value_or(0) * static_cast<double>(macs(graph_));
    if (most_macs <= 0) return attempt(instances, worthless_bytes);
    Attempt best =
        attempt(instances, Rolls::kImpossible);  // whatever it needs, it may come to less
    const auto good_enough = [&] { return best.cut.peak_bytes <= options_.enough_bytes; };
    const auto with = [&](const std::vector<Rematerialisation>& again) {
      Attempt result = attempt(rematerialise(instances, again), Rolls::kImpossible);
      result.again = again;
      return result;
    };
    if (good_enough()) return best;
    std::vector<Rematerialisation> again;
    int64_t recomputed = 0;
    int without_gain = 0;
    for (const Rematerialisation& more : rematerialisations(axes_, instances)) {
      if (static_cast<double>(recomputed + more.macs) > most_macs) continue;
      if (without_gain == kMostWithoutGain || good_enough() || late(limits_.time)) break;
      again.push_back(more);
      recomputed += more.macs;
      Attempt next = with(again);
      const bool gains = next.cut.peak_bytes < best.cut.peak_bytes;
      without_gain = gains ? 0 : without_gain + 1;
      if (gains) best = std::move(next);
    }
    for (size_t k = best.again.size(); k-- > 0;) {
      std::vector<Rematerialisation> fewer = best.again;
      fewer.erase(fewer.begin() + static_cast<ptrdiff_t>(k));
      Attempt next = with(fewer);
      if (next.cut.peak_bytes <= std::max(best.cut.peak_bytes, options_.enough_bytes))
        best = std::move(next);
    }
    return best;
  }

  void add_notes(const Attempt& best, std::vector<Note>& notes) const {
    const auto in_piece = [&](size_t at) {
      return std::ranges::any_of(best.cut.pieces, [&](const GroupCandidate& piece) {
        return piece.begin <= static_cast<int>(at) && static_cast<int>(at) < piece.end;
      });
    };
    for (size_t at = 0; at < best.cut.order.size(); ++at) {
      const Instance& instance = best.instances.instance({best.cut.order[at]});
      if (instance.op.valid() || in_piece(at)) continue;
      if (best.instances.receives(instance)) {
        notes.push_back(passing_by());
      } else {
        notes.push_back(note::InputRelaid{});
      }
    }
    if (best.again.empty()) return;
    note::Rematerialised again{.tensors = static_cast<int64_t>(best.again.size()), .macs = 0};
    for (const Rematerialisation& value : best.again) again.macs += value.macs;
    notes.push_back(again);
  }

  /// What it would come to if the input were not collected.
  note::InputCollected passing_by() const {
    StreamOptions options = options_;
    options.rolls.collects = false;
    const Attempt passing = StreamSearch(axes_, limits_, options, orders_, known_).best();
    return {.obstacle = passing.cut.why, .passing_peak_bytes = passing.cut.peak_bytes};
  }

  const Graph& graph_;
  const AxisGraph& axes_;
  const Limits& limits_;
  const StreamOptions& options_;
  KnownOrders& orders_;
  const LatencyEstimate& known_;  ///< of the same operators
};

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
  const auto arena_of = [&](const Decision& answer) {
    const Dataflow flow(axes, answer.plan.instances);
    return place(graph, build(flow, answer.plan),
                 {.work = kQuickLayoutWork, .time = limits.time, .uses = &axes.kernel_uses()})
        .arena_bytes();
  };
  struct Found {
    Decision planned;
    StreamCut cut;
    int64_t arena_bytes;
  };
  const auto search = [&](const StreamOptions& wanted) -> Found {
    const StreamSearch searched(axes, limits, wanted, orders, known);
    const Attempt best = searched.best();
    if (best.cut.peak_bytes == Rolls::kImpossible)
      return {Decision{}, best.cut, best.cut.peak_bytes};
    if (best.cut.peak_bytes <= options.enough_bytes) {
      Decision apart = searched.planned(best, true);
      const int64_t bytes = arena_of(apart);
      if (bytes <= options.enough_bytes) return {std::move(apart), best.cut, bytes};
    }
    Decision planned = searched.planned(best, false);
    const int64_t bytes = arena_of(planned);
    return {std::move(planned), best.cut, bytes};
  };
  auto [planned, cut, arena_bytes] = search(options);
  if (cut.peak_bytes == Rolls::kImpossible) {
    const bool by_pixels = options.granularities.front() == Granularity::kPixel;
    throw CompileError(
        "--output", fmt::format("this network's cannot be streamed: {}",
                                by_pixels ? "rows leave whole, which granularity=row or auto allows"
                                          : cut.why));
  }
  // Or the fault of alignment, or of a layout that is quick.
  const bool within_peak = arena_bytes <= cut.peak_bytes * 101 / 100;
  const bool peak_fits = cut.peak_bytes <= options.enough_bytes;
  if (arena_bytes <= options.enough_bytes || (within_peak && !peak_fits)) return std::move(planned);
  for (const int64_t percent : kLowerPeaks) {
    if (!peak_fits || late(limits.time)) break;
    StreamOptions lower = options;
    lower.enough_bytes = options.enough_bytes * percent / 100;
    Found next = search(lower);
    if (next.cut.peak_bytes <= options.enough_bytes && next.arena_bytes <= options.enough_bytes)
      return std::move(next.planned);
  }
  std::vector<StreamOptions> others;
  for (const int64_t enough : {options.enough_bytes, int64_t{0}}) {
    StreamOptions other = options;
    other.enough_bytes = enough;
    if (enough != options.enough_bytes) others.push_back(other);
    if (options.granularities.size() > 1) {
      for (const Granularity g : options.granularities) {
        other.granularities = {g};
        others.push_back(other);
      }
    }
    if (options.enough_bytes == 0) break;
  }
  for (const StreamOptions& other : others) {
    if (late(limits.time)) break;
    Found next = search(other);
    if (next.cut.peak_bytes == Rolls::kImpossible || next.arena_bytes >= arena_bytes) continue;
    arena_bytes = next.arena_bytes;
    planned = std::move(next.planned);
  }
  return std::move(planned);
}

}  // namespace thimble
