// SPDX-License-Identifier: Apache-2.0
#include "thimble/planners/auto.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <limits>
#include <set>

#include "thimble/model/error.h"
#include "thimble/moves/relayout_inputs.h"
#include "thimble/moves/rematerialise.h"
#include "thimble/operators/operators.h"
#include "thimble/plan/build.h"
#include "thimble/plan/order_problem.h"
#include "thimble/planners/auto_cuts.h"
#include "thimble/planners/motes.h"
#include "thimble/planners/patch.h"
#include "thimble/planners/pex.h"
#include "thimble/planners/stream.h"
#include "thimble/search/parallel.h"
#include "thimble/search/pareto.h"

namespace thimble {
namespace {

/// Plans are compared by layouts that are quick, but the same on every machine.
constexpr int64_t kDraftLayoutWork = layout::kSearchWork / 250;
constexpr int64_t kLeastLayoutWork = layout::kSearchWork / 20;  // of the least peak
constexpr size_t kMostLayouts = 16;                             // of a front, at effort 1
constexpr size_t kMostOrdersOfSmall = 24;                       // likewise
constexpr size_t kMostOrders = 10'000;                          // at any: they are listed at once
constexpr size_t kMostOfStarts = 60;  // instances, for planners that search orders themselves
constexpr int64_t kMostBytesOfStarts = 8'000'000;  // of their activations
constexpr double kMostLatencyOfMotes = 1.25;
constexpr ptrdiff_t kMostAboutLimit = 4;  // plans below a limit on bytes, and above it
constexpr int kMostImproved = 3;          // plans, each with half the layout work of the last one
constexpr ptrdiff_t kManyBuffers = 1000;  // of which it takes too long
constexpr int kMostInVain = 4;            // rematerialised values, one after the other

int64_t most_macs(int64_t once, const Limits& limits) {
  if (!limits.max_recompute) return std::numeric_limits<int64_t>::max();
  return once + static_cast<int64_t>(*limits.max_recompute * static_cast<double>(once));
}

class AutoSearch {
 public:
  /// All must outlive it.
  AutoSearch(const AxisGraph& axes, const Limits& limits)
      : graph_(axes.graph()),
        axes_(axes),
        limits_(limits),
        given_(instances_of(graph_, limits.ports)),
        flow_(axes, given_),
        model_(latency_model_for(limits.core)),
        known_(flow_, limits.core, model_),
        macs_(macs(graph_)),
        most_macs_(most_macs(macs_, limits)) {}

  void run() {
    std::vector<Attempt*> first = {&add_attempt(given_)};
    if (limits_.in_place && limits_.ports.input == Place::kResident) {
      if (std::optional<Instances> relaid = relayout_inputs(graph_, given_))
        first.push_back(&add_attempt(std::move(*relaid), {note::InputRelaid{}}));
    }
    cut(first);
    rematerialise_more();
    ask_others();
  }

  PlannerAnswer answer() {
    lay_out();
    for (const Decision& start : starts_) {
      if (found_.empty() || !late(limits_.time)) add(start);
    }
    if (found_.empty())
      throw CompileError("--output", "this network's cannot be streamed: " + obstacle_);
    improve_chosen();
    Planned planned = front_of(limits_, std::move(found_));
    planned.has_choice = true;
    return planned;
  }

 private:
  /// Lays out again, with more work and all of the room there is, what the limits would choose if
  /// layouts met their bounds.
  void improve_chosen() {
    std::vector<bool> settled(found_.size(), false);
    int64_t work = layout::kSearchWork;
    for (int n = 0; n < kMostImproved && !late(limits_.time); ++n, work /= 2) {
      std::vector<FrontFigures> hoped;
      for (size_t k = 0; k < found_.size(); ++k) {
        hoped.push_back(found_[k].figures());
        if (!settled[k]) hoped[k].arena_bytes = found_[k].arena().lower_bound_bytes;
      }
      Front front = front_within(limits_);
      const std::vector<size_t> kept = undominated(hoped);
      for (const size_t k : kept) front.points.push_back(hoped[k]);
      const size_t best = kept[front.chosen()];
      if (settled[best]) return;
      settled[best] = true;
      improve(found_[best], work);
    }
  }

  void improve(PricedPlan& plan, int64_t work) const {
    if (limits_.layout != LayoutMethod::kExact) return;  // work changes nothing
    const bool fits = limits_.sram_bytes && plan.arena().lower_bound_bytes <= *limits_.sram_bytes;
    if (plan.arena().proven_optimal && !fits) return;
    Plan bare = without_kernels(plan.plan());
    const Instances instances = bare.instances;
    const Dataflow flow(axes_, instances);
    LatencyEstimate latency(flow, known_);
    if (std::ssize(plan.realised.placement.addresses) > kManyBuffers) work /= 4;
    Realisation realisation(flow, latency, std::move(bare), placement_options(work));
    RealisedPlan again = fits ? realisation.arena_within(*limits_.sram_bytes)
                              : realisation.with(realisation.live_within(plan.arena().peak_bytes));
    const auto cost = [&](const RealisedPlan& realised) {
      const int64_t arena = realised.placement.arena_bytes();
      return std::pair(std::max(arena, fits ? *limits_.sram_bytes : 0), realised.instructions);
    };
    if (cost(again) < cost(plan.realised)) plan.realised = std::move(again);
  }

  [[nodiscard]] PlacementOptions placement_options(int64_t work) const {
    return {.method = limits_.layout, .work = work, .time = limits_.time};
  }

  /// Instances, and what is asked of them.
  struct Attempt {
    Attempt(const AxisGraph& axes, Instances some, bool in_place, const LatencyEstimate& known)
        : instances(std::move(some)),
          flow(axes, instances),
          problem(order_problem(axes.graph(), instances, in_place)),
          channels(flow, DType::kInt32),
          latency(flow, known) {}
    const Instances instances;
    const Dataflow flow;
    const OrderProblem problem;
    ChannelGroups channels;
    LatencyEstimate latency;
    std::vector<Note> notes;
  };
  /// A plan of an attempt that has not been laid out.
  struct Draft {
    Attempt* attempt = nullptr;
    AutoCut cut;
  };

  Attempt& add_attempt(Instances instances, std::vector<Note> notes = {}) {
    Attempt& now = attempts_.emplace_back(axes_, std::move(instances), limits_.in_place, known_);
    now.notes = std::move(notes);
    return now;
  }

  /// Cuts of all their orders.
  void cut(const std::vector<Attempt*>& attempts) {
    struct Task {
      Attempt* attempt;
      std::vector<int> order;
      std::vector<AutoCut> front;
      std::string obstacle;
    };
    std::vector<std::vector<std::vector<int>>> found(attempts.size());
    in_parallel(attempts.size(), limits_.jobs,
                [&](size_t k, size_t) { found[k] = orders(*attempts[k]); });
    std::vector<Task> tasks;
    for (size_t k = 0; k < attempts.size(); ++k) {
      for (std::vector<int>& order : found[k])
        tasks.push_back({attempts[k], std::move(order), {}, {}});
    }
    const int jobs_of_each = std::ssize(tasks) >= limits_.jobs ? 1 : limits_.jobs;
    in_parallel(tasks.size(), limits_.jobs, [&](size_t k, size_t) {
      if ((k > 0 || !drafts_.empty()) && late(limits_.time)) return;
      Task& task = tasks[k];
      task.front = cuts_of(*task.attempt, task.order, jobs_of_each, task.obstacle);
    });
    for (Task& task : tasks) {
      for (AutoCut& cut : task.front) {
        least_ = std::min(least_, cut.cut.peak_bytes);
        drafts_.push_back({task.attempt, std::move(cut)});
      }
      if (drafts_.empty()) obstacle_ = task.obstacle;
    }
  }

  std::vector<AutoCut> cuts_of(Attempt& of, const std::vector<int>& order, int jobs,
                               std::string& obstacle) const {
    const size_t count = order.size();
    AutoCuts cuts(of.channels, of.problem, order, of.latency,
                  {.in_place = limits_.in_place,
                   .most_macs = most_macs_,
                   .effort = limits_.effort,
                   .time = limits_.time,
                   .jobs = jobs});
    // Of large networks they take long to find: once, by `stream`.
    if (!is_large(count, limits_.effort) && !late(limits_.time)) cuts.add_rolled();
    if (!is_large(count, limits_.effort) && !late(limits_.time)) cuts.add_strips();
    const bool few = count <= kMostOfStarts * static_cast<size_t>(limits_.effort);
    if (few && !late(limits_.time)) cuts.add_parts();
    obstacle = cuts.obstacle();
    return cuts.front();
  }

  /// Those that `stream` cuts, and of small networks more.
  std::vector<std::vector<int>> orders(const Attempt& of) {
    std::vector<std::vector<int>> some = orders_.of(of.flow, of.problem, limits_.time);
    if (!is_small(of.instances.list.size(), limits_.effort)) return some;
    const size_t most =
        std::min(kMostOrdersOfSmall * static_cast<size_t>(limits_.effort), kMostOrders);
    const std::set<std::vector<int>> known(some.begin(), some.end());
    for (std::vector<int>& order : more_orders(of.flow, of.problem, most)) {
      if (!known.contains(order)) some.push_back(std::move(order));
    }
    return some;
  }

  /// Values computed again, the largest first, one more each time.
  void rematerialise_more() {
    std::vector<Rematerialisation> again;
    int64_t executed = macs_;
    int without_gain = 0;
    for (const Rematerialisation& more : rematerialisations(axes_, given_)) {
      if (executed + more.macs > most_macs_) continue;
      if (without_gain == kMostInVain || late(limits_.time)) break;
      again.push_back(more);
      executed += more.macs;
      const int64_t before = least_;
      cut({&add_attempt(rematerialise(given_, again),
                        {note::Rematerialised{.tensors = static_cast<int64_t>(again.size()),
                                              .macs = executed - macs_}})});
      without_gain = least_ < before ? 0 : without_gain + 1;
    }
  }

  /// Of all drafts, those that no other is as good as: fewest bytes first, fastest last.
  [[nodiscard]] std::vector<const Draft*> front_of_drafts() const {
    std::vector<const Draft*> drafts;
    for (const Draft& draft : drafts_) drafts.push_back(&draft);
    return pareto(
        std::move(drafts), [](const Draft* d) { return d->cut.cut.peak_bytes; },
        [](const Draft* d) { return d->cut.instructions; });
  }

  /// Some of the front, evenly from the fewest bytes and the most time to the fewest instructions.
  [[nodiscard]] std::set<size_t> spread_over(const std::vector<const Draft*>& front) const {
    const auto log_cost = [&](size_t k) {
      return std::log(static_cast<double>(std::max<int64_t>(front[k]->cut.cut.peak_bytes, 1))) -
             std::log(std::max(front[k]->cut.instructions, 1.0));
    };
    const double first = log_cost(0), way = log_cost(front.size() - 1) - first;
    const size_t most = kMostLayouts * static_cast<size_t>(limits_.effort);
    std::set<size_t> some = {0, front.size() - 1};
    size_t next = 1;
    for (size_t k = 0; k < front.size(); ++k) {
      if (log_cost(k) - first < way * static_cast<double>(next) / static_cast<double>(most))
        continue;
      some.insert(k);
      while (next < most &&
             log_cost(k) - first >= way * static_cast<double>(next) / static_cast<double>(most))
        ++next;
    }
    return some;
  }

  /// Some of the front, and those that the limits are about.
  void lay_out() {
    const std::vector<const Draft*> front = front_of_drafts();
    if (front.empty()) return;
    std::set<size_t> some = spread_over(front);
    const auto add_about = [&](ptrdiff_t at, ptrdiff_t reach) {
      for (ptrdiff_t k = std::max<ptrdiff_t>(at - reach, 0); k < at + reach; ++k) {
        if (k < std::ssize(front)) some.insert(static_cast<size_t>(k));
      }
    };
    const double slowest = front.back()->cut.instructions * limits_.max_latency;  // as above
    const auto in_time = std::ranges::find_if(
        front, [&](const Draft* d) { return !(d->cut.instructions > slowest); });
    // Estimates are not exact, and not every peak can be laid out.
    add_about(in_time - front.begin(), 2);
    const auto peak_of = [](const Draft* d) { return d->cut.cut.peak_bytes; };
    const int64_t limit = limits_.sram_bytes.value_or(0);
    const auto fits = std::ranges::upper_bound(front, limit, {}, peak_of) - front.begin();
    if (limits_.sram_bytes) add_about(fits, kMostAboutLimit);
    const std::vector<size_t> numbers(some.begin(), some.end());
    std::vector<std::optional<PricedPlan>> found(numbers.size());
    in_parallel(numbers.size(), limits_.jobs, [&](size_t n, size_t) {
      const size_t k = numbers[n];
      if (n > 0 && late(limits_.time)) return;
      const bool about =
          limits_.sram_bytes && std::abs(static_cast<ptrdiff_t>(k) - fits) <= kMostAboutLimit;
      found[n] = priced_draft(*front[k], about ? limits_.sram_bytes : std::nullopt,
                              k == 0 ? kLeastLayoutWork : kDraftLayoutWork);
    });
    for (std::optional<PricedPlan>& plan : found) {
      if (plan) found_.push_back(std::move(*plan));
    }
  }

  /// arena_bytes: that kernels may fill; else as many as live in the draft.
  [[nodiscard]] std::optional<PricedPlan> priced_draft(const Draft& draft,
                                                       std::optional<int64_t> arena_bytes,
                                                       int64_t layout_work) const {
    Attempt& of = *draft.attempt;
    Plan plan = stream_plan(of.flow, of.problem, draft.cut.cut, limits_.in_place);
    // What sweeps take of a group's shape alone, a kernel may refuse: rings that it does not walk.
    if (!has_derivations(of.flow, plan)) return std::nullopt;
    std::vector<Note> notes = {spans(of.instances, draft.cut.cut)};
    notes.insert(notes.end(), of.notes.begin(), of.notes.end());
    Realisation realisation(of.flow, of.latency, std::move(plan), placement_options(layout_work));
    if (realisation.executed_macs() > most_macs_) return std::nullopt;
    return priced_plan(arena_bytes
                           ? realisation.arena_within(arena_bytes)
                           : realisation.with(realisation.live_within(draft.cut.cut.peak_bytes)),
                       std::move(notes));
  }

  [[nodiscard]] PricedPlan priced_plan(RealisedPlan realised, std::vector<Note> notes) const {
    PricedPlan found{std::move(realised), std::move(notes), macs_};
    for (Note& note : found.notes) {
      if (auto* spans = std::get_if<note::Spans>(&note))
        spans->peak_bytes = found.arena().peak_bytes;
    }
    return found;
  }

  /// Instructions of the fastest draft, as a ratio of those of whole operators: `motes` counts its
  /// limit from these.
  double fastest_of_whole(Attempt& of) const {
    double whole = model_.program;
    for (int id = 0; id < std::ssize(of.instances.list); ++id)
      whole += of.latency.whole({.instance = {id}}, false);
    double fastest = whole;
    for (const Draft& draft : drafts_)
      fastest = std::min(fastest, draft.cut.instructions + model_.program);
    return whole > 0 ? fastest / whole : 1;  // nothing is known of its kernels
  }

  using Ask = std::function<PlannerDecision()>;

  /// Planners with other searches.
  void ask_others() {
    std::vector<Ask> all;
    if (drafts_.empty() || !late(limits_.time)) {
      if (std::optional<Ask> motes = ask_motes()) all.push_back(std::move(*motes));
    }
    // Within a budget, `stream` has the fewest groups that fit; sweeps may be slower than priced.
    const bool few = may_ask_others();
    if ((limits_.sram_bytes && few) || is_large(given_.list.size(), limits_.effort))
      all.emplace_back([&] { return plan_stream(graph_, limits_, {}, orders_); });
    for (const auto plan : {plan_patch, plan_pex}) {
      if (few) all.emplace_back([this, plan] { return plan(graph_, limits_, {}); });
    }
    std::vector<std::optional<PlannerDecision>> answers(all.size());
    in_parallel(all.size(), limits_.jobs, [&](size_t k, size_t) {
      if ((k == 0 && drafts_.empty()) || !late(limits_.time)) answers[k] = all[k]();
    });
    for (std::optional<PlannerDecision>& answer : answers) {
      auto* decision = answer ? std::get_if<Decision>(&*answer) : nullptr;
      if (decision != nullptr) starts_.push_back(std::move(*decision));
    }
  }

  /// Parts along connected axes, as `motes` finds them in the last order: with blocks where that is
  /// little work.
  std::optional<Ask> ask_motes() {
    if (limits_.ports.input == Place::kStreamed || limits_.ports.output == Place::kStreamed)
      return std::nullopt;
    Attempt& of = attempts_.front();
    const size_t count = of.instances.list.size();
    std::vector<std::vector<int>> orders = orders_.of(of.flow, of.problem, limits_.time);
    if (has_many(count, limits_.effort)) orders.erase(orders.begin(), orders.end() - 1);
    const bool few = count <= kMostOfStarts * static_cast<size_t>(limits_.effort);
    const double latency =
        std::clamp(limits_.max_latency * fastest_of_whole(of), 1.0, kMostLatencyOfMotes);
    const PlannerOptions options{{"windows", few ? "any" : "rings"},
                                 {"parts", "8"},
                                 {"beam", "3"},
                                 {"schemes", "8"},
                                 {"max_latency", std::to_string(latency)}};
    return [this, options, orders] { return plan_motes(graph_, limits_, options, orders); };
  }

  /// Whether that is little work: they search orders themselves, and walk over images.
  [[nodiscard]] bool may_ask_others() const {
    int64_t bytes = 0;
    for (const Tensor& tensor : graph_.tensors)
      bytes += tensor.is_constant() ? 0 : tensor.size_bytes();
    if (limits_.ports.input == Place::kStreamed || limits_.ports.output == Place::kStreamed)
      return false;
    return given_.list.size() <= kMostOfStarts * static_cast<size_t>(limits_.effort) &&
           bytes <= kMostBytesOfStarts * limits_.effort;
  }

  /// With as few bytes as it can do with, and with room for fast kernels.
  void add(const Decision& start) {
    const Dataflow flow(axes_, start.plan.instances);
    if (!has_derivations(flow, start.plan)) return;
    LatencyEstimate latency(flow, known_);
    const int64_t peak = evaluate(flow, start.plan).peak_bytes;
    std::set<int64_t> live = {peak, peak + peak / 16, peak + peak / 8};
    if (limits_.sram_bytes) live.insert(*limits_.sram_bytes);
    if (start.live_bytes) live.insert(*start.live_bytes);
    Realisation realisation(flow, latency, start.plan, placement_options(kDraftLayoutWork));
    if (realisation.executed_macs() > most_macs_) return;
    for (const int64_t bytes : live) {
      KernelSelection::Chosen kernels = realisation.live_within(bytes);
      const auto beats = [&](const PricedPlan& other) {
        return other.arena().size_bytes <= kernels.live_bytes &&
               other.realised.instructions <= kernels.instructions;
      };
      if (std::ranges::any_of(found_, beats)) continue;
      found_.push_back(priced_plan(realisation.with(std::move(kernels)), start.notes));
    }
  }

  const Graph& graph_;
  const AxisGraph& axes_;
  const Limits& limits_;
  const Instances given_;
  const Dataflow flow_;
  const LatencyModel model_;
  const LatencyEstimate known_;
  const int64_t macs_, most_macs_;
  KnownOrders orders_;
  std::deque<Attempt> attempts_;
  std::vector<Draft> drafts_;
  int64_t least_ = Rolls::kImpossible;  ///< peak of a draft
  std::string obstacle_;                ///< if there is none
  std::vector<Decision> starts_;
  std::vector<PricedPlan> found_;
};

}  // namespace

PlannerAnswer plan_auto(const Graph& graph, const Limits& limits, const PlannerOptions&) {
  const AxisGraph axes(graph);
  AutoSearch search(axes, limits);
  search.run();
  return search.answer();
}

}  // namespace thimble
