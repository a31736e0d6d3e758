// SPDX-License-Identifier: Apache-2.0
#include "thimble/planners/motes.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <tuple>

#include "thimble/moves/resident_first.h"
#include "thimble/operators/operators.h"
#include "thimble/plan/evaluate.h"
#include "thimble/plan/order_problem.h"
#include "thimble/planners/motes_schemes.h"
#include "thimble/search/front_cut.h"
#include "thimble/search/narrow_early.h"
#include "thimble/search/pareto.h"

namespace thimble {
namespace {

constexpr int kMostSchemesBehind = 100;  // of the operators behind a position

/// Of blocks, beyond a step per instance: a step takes about as much code in a block (150 B on a
/// Cortex-M4) as whole (185 B), so code grows by half and 16 KB.
int64_t usual_steps(int64_t instances) { return instances / 2 + 100; }

/// A set of partition schemes, disjoint and ascending.
struct MotesState {
  std::vector<MotesSchemes::Unit> units;
  int64_t bytes = 0;
  int64_t peaks = 0;  ///< schemes and single instances that need as much
  int64_t steps = 0;  ///< written down beyond one per instance
  double instructions = 0;
};

/// Algorithm 1, lines 3 and 4; where several parts of the network have the same peak, fewer of them
/// are progress. What is written down less leaves room for more schemes.
struct LessThan {
  double most_instructions = 0;

  bool operator()(const MotesState& a, const MotesState& b) const {
    const auto by_bytes = [](const MotesState& s) {
      return std::tuple(s.bytes, s.peaks, s.steps, s.instructions);
    };
    const auto by_time = [](const MotesState& s) {
      return std::tuple(s.instructions, s.bytes, s.peaks);
    };
    const bool both = a.instructions <= most_instructions && b.instructions <= most_instructions;
    return both ? by_bytes(a) < by_bytes(b) : by_time(a) < by_time(b);
  }
};

class MotesSearch {
 public:
  MotesSearch(const AxisGraph& axes, const Limits& limits, const MotesOptions& options,
              std::vector<int> order)
      : graph_(axes.graph()),
        limits_(limits),
        options_(options),
        instances_(instances_of(graph_, limits.ports)),
        flow_(axes, instances_),
        problem_(order_problem(graph_, instances_, limits.in_place)),
        order_(std::move(order)),
        rolls_(flow_, problem_, order_, {.in_place = limits.in_place}),
        model_(latency_model_for(limits.core)),
        latency_(flow_, limits.core, model_),
        units_(flow_, rolls_, order_, latency_, limits.in_place && !options.paper_accounting),
        single_bytes_(options.paper_accounting ? working_sets(problem_, order_)
                                               : rolls_.single_bytes()),
        most_steps_(options.most_steps.value_or(usual_steps(std::ssize(instances_.list)))),
        schemes_(flow_, rolls_, order_, units_, options, most_steps_) {
    for (const int instance : order_) {
      single_instructions_.push_back(latency_.whole({.instance = {instance}}, false));
      whole_instructions_ += single_instructions_.back();
    }
    for (int at = 0; at < std::ssize(order_); ++at) single_times_.push_back(single_times(at));
  }

  MotesState run() {
    MotesState whole;
    measure(whole);
    const LessThan less = this->less();
    std::vector<MotesState> beam = {whole};
    while (!order_.empty() && !late(limits_.time)) {
      const MotesState& best = beam.front();
      if (best.bytes <= limits_.sram_bytes.value_or(0)) break;
      const std::vector<Unit> schemes = schemes_at_peak(best);
      std::vector<MotesState> next = beam;
      for (const MotesState& state : beam) {
        for (const auto& unit : schemes) {
          MotesState more = with(state, unit);
          measure(more);
          if (more.steps <= most_steps_) next.push_back(std::move(more));
        }
      }
      std::ranges::stable_sort(next, less);
      const auto same = [](const MotesState& a, const MotesState& b) {
        return a.bytes == b.bytes && a.peaks == b.peaks && a.instructions == b.instructions;
      };
      next.erase(std::unique(next.begin(), next.end(), same), next.end());
      next.resize(std::min(next.size(), static_cast<size_t>(options_.beam)));
      if (!less(next.front(), beam.front())) {
        std::optional<MotesState> cut = best_of_all();
        if (!cut || !less(*cut, next.front())) break;
        next.insert(next.begin(), std::move(*cut));
        next.resize(std::min(next.size(), static_cast<size_t>(options_.beam)));
      }
      beam = std::move(next);
    }
    return beam.front();
  }

  /// Once it has run.
  [[nodiscard]] LessThan less() const { return {whole_instructions_ * options_.max_latency}; }

  Decision planned(const MotesState& state) {
    std::vector<OrderPiece> pieces;
    for (const auto& unit : state.units) pieces.push_back(unit->piece());
    OrderPlanOptions singles{.in_place = limits_.in_place, .peak_bytes = state.bytes};
    for (int i = 0; i < std::ssize(instances_.list); ++i) {
      const KernelWays& ways = latency_.whole_ways({.instance = {i}});
      singles.scratch_bytes.push_back(ways[std::min<size_t>(1, ways.size() - 1)].scratch_bytes -
                                      ways.front().scratch_bytes);
    }
    Plan plan = order_plan(flow_, problem_, order_, singles, pieces);
    for (int at = 0; at < std::ssize(order_); ++at) {
      const auto covered = [&](const auto& unit) {
        return unit->begin <= at && at < unit->end;
      };
      if (options_.paper_accounting || !limits_.in_place ||
          std::ranges::any_of(state.units, covered))
        continue;
      if (const auto over = rolls_.single_overlap(at)) {
        if (std::ranges::find(plan.overlaps, over->first) == plan.overlaps.end())
          plan.overlaps.push_back(over->first);
      }
    }
    for (const auto& unit : state.units) {
      if (unit->overlap) plan.overlaps.push_back(*unit->overlap);
    }
    Decision result{.plan = plan, .notes = {}, .live_bytes = state.bytes};
    note::Partitions note{
        .ops = std::ssize(order_),
        .peak_bytes = limits_.core.sets.size() > 1 ? state.bytes : evaluate(flow_, plan).peak_bytes,
        .instructions = state.instructions,
        .whole_instructions = whole_instructions_};
    for (const auto& unit : state.units) {
      ++note.schemes;
      note.ops_in_parts += unit->end - unit->begin;
      note.steps += unit->steps;
    }
    result.notes.push_back(note);
    return result;
  }

 private:
  using Unit = MotesSchemes::Unit;

  /// With the fewest bytes with which it is within the limit on time; if there are none, with the
  /// fewest of all.
  void measure(MotesState& state) const {
    std::vector<const PieceTimes*> pieces;
    state.steps = 0;
    auto unit = state.units.begin();
    for (int at = 0; at < std::ssize(order_); ++at) {
      if (unit != state.units.end() && (*unit)->begin == at) {
        pieces.push_back(&(*unit)->times);
        state.steps += (*unit)->more_steps();
        at = (*unit++)->end - 1;
      } else {
        pieces.push_back(&single_times_[static_cast<size_t>(at)]);
      }
    }
    const PieceTimes times = piece_times(pieces);
    const double most = less().most_instructions - model_.program;
    const auto in_time =
        std::ranges::find_if(times, [&](const PieceTime& t) { return t.instructions <= most; });
    const PieceTime& taken = in_time == times.end() ? times.front() : *in_time;
    state.bytes = taken.live_bytes;
    state.instructions = model_.program + taken.instructions;
    state.peaks = std::ranges::count_if(pieces, [&](const PieceTimes* piece) {
      return fastest_within(*piece, state.bytes).live_bytes == state.bytes;
    });
  }

  /// In place, or apart where that is faster.
  [[nodiscard]] PieceTimes single_times(int at) {
    const InstanceCall call{.instance = {order_[static_cast<size_t>(at)]}};
    const Instance& instance = instances_.instance(call.instance);
    const int64_t bytes = single_bytes_[static_cast<size_t>(at)] - flow_.scratch_bytes(call);
    if (!instance.op.valid() || !has_kernel(graph_, graph_.op(instance.op), Method::kInPlace))
      return piece_times({&latency_.whole_ways(call)}, {bytes});
    const InstanceCall over{.instance = call.instance, .method = Method::kInPlace};
    PieceTimes times = piece_times({&latency_.whole_ways(over)}, {bytes});
    const int64_t apart = rolls_.bytes().held(at) + rolls_.bytes().size(instance.makes);
    std::ranges::move(piece_times({&latency_.whole_ways(call)}, {apart}),
                      std::back_inserter(times));
    return pareto(std::move(times), &PieceTime::live_bytes, &PieceTime::instructions);
  }

  /// The state with one more scheme, in place of those that it touches; inside of one if it is
  /// along channels and that is not.
  [[nodiscard]] MotesState with(const MotesState& state, const Unit& unit) const {
    MotesState result;
    for (const Unit& other : state.units) {
      if (other->end <= unit->begin ||
          other->begin >= unit->end)
        result.units.push_back(other);
    }
    result.units.push_back(unit);
    std::ranges::sort(result.units, {}, [](const Unit& u) { return u->begin; });
    return result;
  }

  /// Where no set of the beam gains: the best of all sets of the schemes that were measured so far,
  /// as a cut of the order.
  [[nodiscard]] std::optional<MotesState> best_of_all() const {
    std::vector<FrontPiece> pieces;
    std::vector<Unit> units;  // per piece; a single instance has none
    const auto add = [&](FrontPiece piece, const PieceTimes& times, const Unit& unit) {
      for (const PieceTime& time : times) {
        piece.peak_bytes = time.live_bytes;
        piece.time = time.instructions;
        pieces.push_back(piece);
        units.push_back(unit);
      }
    };
    for (int at = 0; at < std::ssize(order_); ++at)
      add({at, at + 1}, single_times_[static_cast<size_t>(at)], {});
    for (const Unit& unit : schemes_.all()) {
      const GroupCandidate& parts = *unit;
      // Steps stand where the front has MACs: they are bounded, and add up.
      add({.begin = parts.begin, .end = parts.end, .macs = unit->more_steps()}, unit->times, unit);
    }
    const FrontCutOptions limits{
        .most_macs = most_steps_,
        .most_time = whole_instructions_ * options_.max_latency - model_.program,
        .most_ways = kMostSchemesBehind};
    const std::vector<FrontCut> cuts = front_cuts(static_cast<int>(order_.size()), pieces, limits);
    if (cuts.empty()) return std::nullopt;
    MotesState result;
    for (const int p : cuts.front().pieces) {
      if (const Unit& unit = units[static_cast<size_t>(p)]) result.units.push_back(unit);
    }
    measure(result);
    return result;
  }

  [[nodiscard]] static bool has(const PieceTimes& times, int64_t bytes) {
    return fastest_within(times, bytes).live_bytes == bytes;
  }

  /// Where the most is live: positions [begin, end), one instance or a scheme.
  [[nodiscard]] std::pair<int, int> peak_of(const MotesState& state) const {
    for (const Unit& unit : state.units) {
      if (has(unit->times, state.bytes)) return {unit->begin, unit->end};
    }
    for (int at = 0; at < std::ssize(order_); ++at) {
      const auto covers = [&](const Unit& unit) {
        return unit->begin <= at && at < unit->end;
      };
      if (has(single_times_[static_cast<size_t>(at)], state.bytes) &&
          std::ranges::none_of(state.units, covers))
        return {at, at + 1};
    }
    return {0, 0};
  }

  /// Schemes around the peak that need less than the state does, none of which another one is as
  /// good as; the nearest ones first where there are too many.
  [[nodiscard]] std::vector<Unit> schemes_at_peak(const MotesState& state) {
    const auto [first, last] = peak_of(state);
    std::vector<Unit> found;
    const auto count = static_cast<int>(order_.size());
    const int distance = static_cast<int>(options_.reach) + last - first;
    const OrderBytes& bytes = rolls_.bytes();
    for (const int begin : held_steps(bytes, count, last - 1, -1, distance, state.bytes)) {
      for (const int end : held_steps(bytes, count, first + 1, 1, distance, state.bytes)) {
        if (begin >= end || units_.least_bytes(begin, end) >= state.bytes) continue;
        if (late(limits_.time)) break;
        for (const Unit& unit : schemes_.of(begin, end)) {
          if (unit->bytes < state.bytes && is_progress(state, unit)) found.push_back(unit);
        }
      }
    }
    for (const Unit& outer : state.units) {
      if (outer->begin != first || outer->by_channels) continue;
      std::ranges::move(schemes_.within(*outer, state.bytes), std::back_inserter(found));
    }
    return spread(std::move(found));
  }

  /// What it replaces may have kept the peak down elsewhere.
  [[nodiscard]] bool is_progress(const MotesState& state, const Unit& unit) const {
    MotesState more = with(state, unit);
    measure(more);
    return std::pair(more.bytes, more.peaks) < std::pair(state.bytes, state.peaks);
  }

  /// Fewer bytes, or fewer instructions beyond those of the instances alone.
  [[nodiscard]] std::vector<Unit> spread(std::vector<Unit> found) const {
    const auto extra = [&](const Unit& unit) {
      double alone = 0;
      for (int at = unit->begin; at < unit->end; ++at)
        alone += single_instructions_[static_cast<size_t>(at)];
      return unit->instructions() - alone;
    };
    std::vector<std::tuple<int64_t, double, int64_t, size_t>> ranked;
    for (size_t k = 0; k < found.size(); ++k)
      ranked.push_back({found[k]->bytes, extra(found[k]), found[k]->more_steps(), k});
    std::ranges::sort(ranked);
    std::vector<Unit> front;
    std::vector<std::pair<double, int64_t>> kept;  // what none of less bytes is as good as
    for (const auto& [bytes, more, steps, k] : ranked) {
      const auto as_good = [time = more, written = steps](const auto& one) {
        return one.first <= time && one.second <= written;
      };
      if (std::ranges::any_of(kept, as_good)) continue;
      kept.emplace_back(more, steps);
      front.push_back(found[k]);
    }
    std::vector<Unit> result;
    const auto most = static_cast<size_t>(options_.schemes);
    for (size_t k = 0; k < front.size(); ++k) {
      if (front.size() <= most || k * most / front.size() != (k + 1) * most / front.size())
        result.push_back(front[k]);
    }
    return result;
  }

  const Graph& graph_;
  const Limits& limits_;
  const MotesOptions& options_;
  const Instances instances_;
  const Dataflow flow_;
  const OrderProblem problem_;
  const std::vector<int> order_;
  const Rolls rolls_;
  const LatencyModel model_;
  LatencyEstimate latency_;
  MotesUnits units_;
  const std::vector<int64_t> single_bytes_;
  std::vector<double> single_instructions_;     ///< per position
  std::vector<PieceTimes> single_times_;        ///< per position
  double whole_instructions_ = model_.program;  ///< with room for all fast kernels
  const int64_t most_steps_;
  MotesSchemes schemes_;
};

/// The order that is asked for; and, as no scheme reaches over the makers of what it needs whole,
/// one that has them first, if that is another one.
std::vector<std::vector<int>> orders_of(const AxisGraph& axes, const Limits& limits,
                                        MotesOptions::Orders which) {
  const Instances instances = instances_of(axes.graph(), limits.ports);
  const OrderProblem problem = order_problem(axes.graph(), instances, limits.in_place);
  if (which == MotesOptions::Orders::kPostOrder) return {reverse_post_order(problem).ops};
  const Order least = reorder(problem, kOrderStates, limits.time);
  if (which == MotesOptions::Orders::kLeast) return {least.ops};
  std::vector<std::vector<int>> result = {narrow_early(problem, least.ops).ops};
  std::vector<int> resident = resident_first_order(axes, instances);
  if (!std::ranges::is_sorted(resident)) result.push_back(std::move(resident));
  return result;
}

}  // namespace

PlannerDecision plan_motes(const Graph& graph, const Limits& limits, const PlannerOptions& given,
                           std::vector<std::vector<int>> orders) {
  const MotesOptions options = motes_options(given);
  const AxisGraph axes(graph);
  std::unique_ptr<MotesSearch> best;
  MotesState least;
  for (std::vector<int>& order : orders) {
    auto search = std::make_unique<MotesSearch>(axes, limits, options, std::move(order));
    MotesState state = search->run();
    if (best && !search->less()(state, least)) continue;
    least = std::move(state);
    best = std::move(search);
  }
  return best->planned(least);
}

PlannerDecision plan_motes(const Graph& graph, const Limits& limits, const PlannerOptions& given) {
  return plan_motes(graph, limits, given,
                    orders_of(AxisGraph(graph), limits, motes_options(given).order));
}

}  // namespace thimble
