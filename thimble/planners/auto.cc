// SPDX-License-Identifier: Apache-2.0
#include "thimble/planners/auto.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <tuple>

#include "thimble/model/error.h"
#include "thimble/moves/relayout_inputs.h"
#include "thimble/moves/rematerialise.h"
#include "thimble/moves/resident_first.h"
#include "thimble/moves/sweep.h"
#include "thimble/operators/operators.h"
#include "thimble/plan/build.h"
#include "thimble/plan/latency_estimate.h"
#include "thimble/plan/order_problem.h"
#include "thimble/plan/placement.h"
#include "thimble/planners/ports.h"
#include "thimble/planners/stream_cuts.h"
#include "thimble/search/front_cut.h"

namespace thimble {
namespace {

/// Plans are compared by layouts that are quick, but the same on every machine.
constexpr int64_t kQuickLayoutWork = layout::kSearchWork / 100;
constexpr size_t kMostLayouts = 16;  // of a front
constexpr int kMostWithoutGain = 4;  // rematerialised values, one after the other

class AutoSearch {
 public:
  /// All must outlive it.
  AutoSearch(const AxisGraph& axes, const Limits& limits)
      : graph_(axes.graph()),
        axes_(axes),
        limits_(limits),
        network_macs_(macs(graph_)),
        model_(latency_model(limits.core.name).value_or(*latency_model("cortex-m4"))),
        most_macs_(limits.max_recompute
                       ? network_macs_ + static_cast<int64_t>(*limits.max_recompute *
                                                              static_cast<double>(network_macs_))
                       : std::numeric_limits<int64_t>::max()) {}

  void run() {
    const Instances given = instances_of(graph_, limits_.ports);
    int64_t least = attempt(given);
    if (limits_.in_place && limits_.ports.input == Place::kResident) {
      if (std::optional<Instances> relaid = relayout_inputs(graph_, given))
        least = std::min(least, attempt(std::move(*relaid)));
    }
    rematerialised(given, least);
  }

  PlannerAnswer answer() {
    lay_out();
    std::ranges::stable_sort(
        found_, {}, [](const FrontPoint& p) { return std::pair(p.arena_bytes, p.instructions); });
    double fastest = std::numeric_limits<double>::infinity();
    std::vector<FrontPoint> front;
    for (FrontPoint& point : found_) {
      if (point.instructions >= fastest) continue;
      fastest = point.instructions;
      front.push_back(std::move(point));
    }
    if (front.empty()) throw CompileError("--output", "this network's cannot be streamed");
    const double slowest = getenv("AUTO_INF") ? 1e300 : fastest * limits_.max_latency;
    const auto smallest =
        std::ranges::find_if(front, [&](const FrontPoint& p) { return p.instructions <= slowest; });
    auto chosen = smallest;
    for (auto p = smallest; p != front.end(); ++p) {
      if (limits_.sram_bytes && p->arena_bytes <= *limits_.sram_bytes) chosen = p;
    }
    Planned planned{.schedule = chosen->schedule, .notes = chosen->notes};
    planned.front = std::move(front);
    return planned;
  }

 private:
  /// A plan of some instances that has not been laid out.
  struct Draft {
    size_t instances = 0;
    StreamCut cut;
    int64_t macs = 0;
    double time = 0;
  };

  /// Values computed again, the largest first, one more each time.
  void rematerialised(const Instances& given, int64_t least) {
    std::vector<Rematerialisation> again;
    int64_t executed = network_macs_;
    int without_gain = 0;
    for (const Rematerialisation& more : rematerialisations(axes_, given)) {
      if (executed + more.macs > most_macs_) continue;
      if (without_gain == kMostWithoutGain || late(limits_.time)) break;
      again.push_back(more);
      executed += more.macs;
      const int64_t next = attempt(rematerialise(given, again));
      without_gain = next < least ? 0 : without_gain + 1;
      least = std::min(least, next);
    }
  }

  /// The least peak that it found.
  int64_t attempt(Instances instances) {
    const auto number = instances_.size();
    instances_.push_back(std::move(instances));
    const Dataflow flow(axes_, instances_.back());
    const OrderProblem problem = order_problem(graph_, instances_.back(), limits_.in_place);
    ChannelGroups channels(flow, DType::kInt32);
    std::vector<std::vector<int>> orders = {original_order(problem).ops};
    for (const std::vector<int>& order :
         {ports_at_the_ends(flow, reorder(problem, kOrderStates, limits_.time).ops),
          resident_first_order(axes_, instances_.back())}) {
      if (std::ranges::find(orders, order) == orders.end()) orders.push_back(order);
    }
    int64_t least = Rolls::kImpossible;
    for (const std::vector<int>& order : orders)
      least = std::min(least, search(number, channels, problem, order));
    return least;
  }

  int64_t search(size_t number, ChannelGroups& channels, const OrderProblem& problem,
                 const std::vector<int>& order) {
    const Dataflow& flow = channels.dataflow();
    const StreamOptions options{.granularities = {Granularity::kRow, Granularity::kPixel},
                                .rolls = {.in_place = limits_.in_place}};
    StreamCuts cuts(channels, problem, order, options);
    static_cast<void>(cuts.best(Rolls::kImpossible));
    const OrderBytes& bytes = cuts.rolls().bytes();
    std::vector<FrontPiece> pieces;
    std::vector<RolledPiece> rolled;
    const std::vector<int64_t>& single = cuts.rolls().single_bytes();
    LatencyEstimate latency(flow, limits_.core, model_);
    const std::vector<int64_t> apart = working_sets(problem, order);
    for (size_t at = 0; at < order.size(); ++at) {
      const InstanceId id{order[at]};
      if (single[at] == Rolls::kImpossible) continue;
      pieces.push_back({static_cast<int>(at), static_cast<int>(at) + 1, single[at],
                        latency.whole({.instance = id}, false), macs_of(flow, id)});
      rolled.emplace_back();
      if (const auto over = cuts.rolls().single_overlap(static_cast<int>(at))) {
        pieces.push_back(pieces.back());
        pieces.back().overlap = front_overlap(bytes, over->first, over->second);
        pieces[pieces.size() - 2].peak_bytes = apart[at];
        rolled.emplace_back();
      }
    }
    for (const RolledPiece& piece : cuts.candidates()) {
      FrontPiece costs{piece.begin, piece.end, piece.bytes};
      for (int p = piece.begin; p < piece.end; ++p) {
        const InstanceId id{order[static_cast<size_t>(p)]};
        costs.macs += macs_of(flow, id);
      }
      const OrderPiece members = piece.piece();
      for (const Member& member : members.members) {
        if (const auto* group = std::get_if<Group>(&member.what)) {
          if (const std::optional<Derived> derived = derive(flow, *group, Regions::kNone))
            costs.time += latency.group(*derived);
        } else {
          costs.time += latency.whole(std::get<InstanceCall>(member.what), true);
        }
      }
      if (piece.overlap) costs.overlap = front_overlap(bytes, *piece.overlap, piece.lead_bytes);
      pieces.push_back(costs);
      rolled.push_back(piece);
    }
    const Sweeps sweeps(flow, bytes, order, latency,
                        {.in_place = limits_.in_place,
                         .recomputes = most_macs_ > network_macs_,
                         .most_instances = most_in_group(order.size())});
    std::vector<Sweep> swept;
    const size_t first_sweep = pieces.size();
    for (int end = 1; end <= static_cast<int>(order.size()); ++end) {
      const size_t before = swept.size();
      for (const int64_t rows : {1, 2, 3, 4, 6, 8}) {
        for (const int64_t columns :
             {int64_t{0}, int64_t{1}, int64_t{2}, int64_t{4}, int64_t{8}, SweepTile::kAll}) {
          for (Sweep& sweep : sweeps.ending_at(end, {rows, columns}, single))
            swept.push_back(std::move(sweep));
        }
      }
      erase_worse(swept, before);
    }
    for (const Sweep& sweep : swept) {
      pieces.push_back({sweep.begin, sweep.end, sweep.bytes, sweep.instructions, sweep.macs});
      if (sweep.overlap)
        pieces.back().overlap = front_overlap(bytes, *sweep.overlap, sweep.lead_bytes);
    }
    const std::vector<FrontCut> front =
        front_cuts(static_cast<int>(order.size()), pieces,
                   {.most_macs = most_macs_,
                    .most_time = std::numeric_limits<double>::infinity(),
                    .most_ways = 400});
    if (getenv("AUTO_DEBUG")) {
      fprintf(stderr, "%zu pieces, %zu sweeps, %zu cuts\n", pieces.size(), swept.size(),
              front.size());
      for (size_t k = 0; k < front.size(); k += std::max<size_t>(1, front.size() / 12))
        fprintf(stderr, "  peak %ld macs %.4f time %.4g\n", front[k].peak_bytes,
                double(front[k].macs) / double(network_macs_), front[k].time);
    }
    for (const FrontCut& found : front) {
      std::vector<RolledPiece> chosen;
      for (const int p : found.pieces) {
        const auto at = static_cast<size_t>(p);
        if (at >= first_sweep) {
          chosen.push_back(rolled_piece(sweeps, swept[at - first_sweep]));
        } else if (rolled[at].end > 0) {
          chosen.push_back(rolled[at]);
        }
      }
      drafts_.push_back(
          {number, cuts.with(std::move(chosen), found.peak_bytes), found.macs, found.time});
    }
    return front.empty() ? Rolls::kImpossible : front.front().peak_bytes;
  }

  static FrontOverlap front_overlap(const OrderBytes& bytes, const OverlapChoice& choice,
                                    int64_t lead_bytes) {
    return {static_cast<int>(choice.out.index()), static_cast<int>(choice.in.index()), lead_bytes,
            bytes.size(choice.in), bytes.lives().made[choice.in.index()]};
  }

  static RolledPiece rolled_piece(const Sweeps& sweeps, const Sweep& sweep) {
    OrderPiece piece = sweeps.piece(sweep);
    RolledPiece result{.begin = sweep.begin,
                       .end = sweep.end,
                       .group = std::get<Group>(piece.members[0].what),
                       .finalised = {},
                       .bytes = sweep.bytes,
                       .overlap = sweep.overlap,
                       .by_pixels = sweep.tile.columns != SweepTile::kAll};
    for (size_t k = 1; k < piece.members.size(); ++k)
      result.finalised.push_back(std::get<InstanceCall>(piece.members[k].what));
    return result;
  }

  /// Of sweeps from `first` on, those that no other with the same begin is as good as.
  static void erase_worse(std::vector<Sweep>& sweeps, size_t first) {
    std::stable_sort(sweeps.begin() + static_cast<ptrdiff_t>(first), sweeps.end(),
                     [](const Sweep& a, const Sweep& b) {
                       return std::tie(a.begin, a.bytes, a.instructions, a.macs) <
                              std::tie(b.begin, b.bytes, b.instructions, b.macs);
                     });
    std::vector<Sweep> best;
    for (size_t k = first; k < sweeps.size(); ++k) {
      const bool worse = std::ranges::any_of(best, [&](const Sweep& b) {
        return b.begin == sweeps[k].begin && b.bytes <= sweeps[k].bytes &&
               b.instructions <= sweeps[k].instructions && b.macs <= sweeps[k].macs;
      });
      if (!worse) best.push_back(std::move(sweeps[k]));
    }
    sweeps.resize(first);
    std::ranges::move(best, std::back_inserter(sweeps));
  }

  [[nodiscard]] int64_t macs_of(const Dataflow& flow, InstanceId id) const {
    const OpId op = flow.instances.instance(id).op;
    return op.valid() ? macs(graph_, graph_.op(op)) : 0;
  }

  /// Rows are received before everything else, and delivered behind it.
  static std::vector<int> ports_at_the_ends(const Dataflow& flow, std::vector<int> order) {
    const Instances& all = flow.instances;
    const auto receives = [&](int i) { return all.receives(all.instance({i})); };
    const auto delivers = [&](int i) { return all.delivers(all.instance({i})); };
    std::stable_partition(order.begin(), order.end(), receives);
    std::stable_partition(order.begin(), order.end(), std::not_fn(delivers));
    return order;
  }

  void lay_out() {
    std::ranges::stable_sort(drafts_, {},
                             [](const Draft& d) { return std::tuple(d.cut.peak_bytes, d.time); });
    double fastest = std::numeric_limits<double>::infinity();
    std::vector<const Draft*> front;
    for (const Draft& draft : drafts_) {
      if (draft.time >= fastest) continue;
      fastest = draft.time;
      front.push_back(&draft);
    }
    std::vector<const Draft*> some;
    const size_t most = std::min(front.size(), kMostLayouts);
    for (size_t k = 0; k < most; ++k)
      some.push_back(most == 1 ? front[0] : front[k * (front.size() - 1) / (most - 1)]);
    for (const Draft* draft : some) add(*draft);
  }

  void add(const Draft& draft) {
    const Dataflow flow(axes_, instances_[draft.instances]);
    const OrderProblem problem =
        order_problem(graph_, instances_[draft.instances], limits_.in_place);
    const Plan plan = stream_plan(flow, problem, draft.cut, limits_.in_place);
    LatencyEstimate latency(flow, limits_.core, model_);
    FrontPoint point{.schedule = build(flow, plan),
                     .notes = {},
                     .arena_bytes = 0,
                     .instructions = latency.plan(plan).value_or(draft.time),
                     .recomputed_macs = 0};
    place_ports(point.schedule, limits_.ports);
    const Placement placed =
        place(graph_, point.schedule, {.work = kQuickLayoutWork, .time = limits_.time});
    point.arena_bytes = placed.arena_bytes();
    point.recomputed_macs = macs(graph_, point.schedule) - network_macs_;
    if (getenv("AUTO_DEBUG"))
      fprintf(stderr, "  est %ld peak %ld arena %ld macs est %.4f is %.4f time %.4g is %.4g\n",
              draft.cut.peak_bytes, placed.arena().peak_bytes, point.arena_bytes,
              double(draft.macs) / double(network_macs_),
              1 + double(point.recomputed_macs) / double(network_macs_), draft.time,
              point.instructions);
    if (point.recomputed_macs + network_macs_ > most_macs_) return;
    found_.push_back(std::move(point));
  }

  const Graph& graph_;
  const AxisGraph& axes_;
  const Limits& limits_;
  const int64_t network_macs_;
  const LatencyModel model_;
  const int64_t most_macs_;
  std::vector<Instances> instances_;
  std::vector<Draft> drafts_;
  std::vector<FrontPoint> found_;
};

}  // namespace

PlannerAnswer plan_auto(const Graph& graph, const Limits& limits, const PlannerOptions&) {
  const AxisGraph axes(graph);
  AutoSearch search(axes, limits);
  search.run();
  return search.answer();
}

}  // namespace thimble
