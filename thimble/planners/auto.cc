// SPDX-License-Identifier: Apache-2.0
#include "thimble/planners/auto.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <set>

#include "thimble/model/error.h"
#include "thimble/operators/operators.h"
#include "thimble/plan/brought_note.h"
#include "thimble/plan/build.h"
#include "thimble/planners/auto_others.h"
#include "thimble/planners/out_of_core.h"
#include "thimble/planners/stream_plan.h"
#include "thimble/schedule/records.h"
#include "thimble/search/parallel.h"

namespace thimble {
namespace {

class AutoSearch {
 public:
  /// All must outlive it.
  AutoSearch(const AxisGraph& axes, const Limits& limits, const StorageBounds& bounds)
      : graph_(axes.graph()),
        axes_(axes),
        limits_(limits),
        bounds_(bounds),
        drafts_(axes, limits, bounds),
        effort_(drafts_.given().list.size(), limits.effort) {}

  PlannerAnswer answer() {
    if (limits_.weight_bytes) return brought();
    drafts_.find();
    starts_ = other_answers(graph_, limits_, drafts_);
    lay_out();
    for (const Decision& start : starts_) {
      if (found_.empty() || !late(limits_.time)) add(start);
    }
    const auto is_in_limits = [this](const PricedPlan& plan) { return fits(plan); };
    if (limits_.storage && limits_.sram_bytes && std::ranges::none_of(found_, is_in_limits))
      add_out_of_core();
    if (found_.empty())
      throw CompileError("--output", "this network's cannot be streamed: " + drafts_.obstacle());
    improve_chosen();
    Planned planned = front_of(limits_, std::move(found_));
    planned.has_choice = true;
    return planned;
  }

 private:
  [[nodiscard]] bool fits(const PricedPlan& plan) const {
    return !limits_.sram_bytes || plan.arena().size_bytes <= *limits_.sram_bytes;
  }

  /// With what flash has no room for in storage.
  PlannerAnswer brought() {
    add_out_of_core();
    if (found_.empty())
      return Infeasible{
          .reason = fmt::format("no plan that brings its weights from {0} is within the limits: "
                                "SRAM, what {0} holds, what may be written and moved",
                                limits_.storage->name)};
    Planned planned = front_of(limits_, std::move(found_));
    planned.has_choice = true;
    return planned;
  }

  /// From the fastest to the one that moves the fewest bytes.
  void add_out_of_core() {
    for (const double cycles_per_byte : {0.0, 1.0, 4.0, 16.0, 64.0, 1024.0}) {
      if (!found_.empty() && late(limits_.time)) return;
      add_out_of_core(cycles_per_byte);
    }
  }

  /// A chain of pieces, laid out with less room for them where that needs more than they have.
  void add_out_of_core(double cycles_per_byte) {
    constexpr int64_t kAll = int64_t{1} << 40;
    Limits within = limits_;
    within.sram_bytes = limits_.sram_bytes.value_or(kAll);
    for (const int64_t percent : {100, 97, 93, 88, 80, 70, 60}) {
      within.sram_bytes = limits_.sram_bytes.value_or(kAll) * percent / 100;
      std::optional<Decision> decision =
          out_of_core(graph_, within,
                      {.weight_bytes = limits_.weight_bytes, .cycles_per_byte = cycles_per_byte});
      if (!decision) return;
      const Instances instances = decision->plan.instances;
      const Dataflow flow(axes_, instances);
      LatencyEstimate latency(flow, drafts_.known());
      Realisation realisation(flow, latency, std::move(decision->plan),
                              placement_options(effort_.least_draft_work));
      realisation.add_waits(limits_.storage_cycles);
      // What stays in flash has a format of its own, too (with_weights()).
      std::vector<Core> cores(2, limits_.core);
      cores[0].weights = Weights::kCompact;
      cores[1].weights = Weights::kLeast;
      PackedBytes packed(graph_, axes_.kernel_uses());
      std::deque<LatencyEstimate> others;
      for (const Core& core : cores) {
        if (!limits_.weight_bytes || !limits_.any_weights) break;
        others.emplace_back(flow, core, drafts_.model());
        realisation.add_format(others.back(), packed);
      }
      RealisedPlan realised = realisation.arena_within(limits_.sram_bytes, limits_.weight_bytes);
      if (beyond_capacity(realised.schedule, realised.placement)) return;
      const MovedRecords moved = moved_records(realised.schedule);
      if (moved.written > bounds_.written_bytes || moved.written + moved.read > bounds_.moved_bytes)
        return;
      if (const auto note = brought_constants(graph_, realised))
        decision->notes.emplace_back(*note);
      PricedPlan plan = priced_plan(std::move(realised), std::move(decision->notes));
      const bool good = fits(plan);
      if (good || !limits_.sram_bytes) {
        found_.push_back(std::move(plan));
        return;
      }
    }
  }

  /// Lays out again, with more work and all of the room there is, what the limits would choose if
  /// layouts met their bounds.
  void improve_chosen() {
    std::vector<bool> settled(found_.size(), false);
    int64_t work = layout::kSearchWork;
    for (int n = 0; n < effort_.improved && !late(limits_.time); ++n, work /= 2) {
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
    LatencyEstimate latency(flow, drafts_.known());
    if (std::ssize(plan.realised.placement.addresses) > effort_.many_buffers) work /= 4;
    Realisation realisation(flow, latency, std::move(bare), placement_options(work));
    realisation.add_waits(limits_.storage_cycles);
    RealisedPlan placed = fits ? realisation.arena_within(*limits_.sram_bytes)
                               : realisation.with(realisation.live_within(plan.arena().peak_bytes));
    const auto cost = [&](const RealisedPlan& realised) {
      const int64_t arena = realised.placement.arena_bytes();
      return std::pair(std::max(arena, fits ? *limits_.sram_bytes : 0),
                       realised.instructions + realised.wait_cycles);
    };
    if (cost(placed) < cost(plan.realised)) plan.realised = std::move(placed);
  }

  [[nodiscard]] PlacementOptions placement_options(int64_t work) const {
    return {.method = limits_.layout, .work = work, .time = limits_.time};
  }

  /// Some of the front, evenly from the fewest bytes and the most time to the fewest instructions.
  [[nodiscard]] std::set<size_t> thinned(const std::vector<const AutoDraft*>& front) const {
    const auto log_cost = [&](size_t k) {
      return std::log(static_cast<double>(std::max<int64_t>(front[k]->cut.cut.peak_bytes, 1))) -
             std::log(std::max(front[k]->cut.instructions, 1.0));
    };
    const double first = log_cost(0), range = log_cost(front.size() - 1) - first;
    const size_t most = effort_.layouts;
    std::set<size_t> some = {0, front.size() - 1};
    size_t next = 1;
    for (size_t k = 0; k < front.size(); ++k) {
      if (log_cost(k) - first < range * static_cast<double>(next) / static_cast<double>(most))
        continue;
      some.insert(k);
      while (next < most &&
             log_cost(k) - first >= range * static_cast<double>(next) / static_cast<double>(most))
        ++next;
    }
    return some;
  }

  /// Adds the drafts that the limits are about, if estimates were exact.
  void add_about_limits(const std::vector<const AutoDraft*>& front, std::set<size_t>& some) const {
    const auto add_about = [&](ptrdiff_t at) {
      const ptrdiff_t reach = effort_.layouts_about_limit;
      for (ptrdiff_t k = std::max<ptrdiff_t>(at - reach, 0); k < at + reach; ++k) {
        if (k < std::ssize(front)) some.insert(static_cast<size_t>(k));
      }
    };
    const double slowest = front.back()->cut.instructions * limits_.max_latency;
    const auto in_time = std::ranges::find_if(
        front, [&](const AutoDraft* d) { return !(d->cut.instructions > slowest); });
    add_about(in_time - front.begin());
    const auto peak_of = [](const AutoDraft* d) { return d->cut.cut.peak_bytes; };
    if (limits_.sram_bytes) {
      const auto larger = std::ranges::upper_bound(front, *limits_.sram_bytes, {}, peak_of);
      add_about(larger - front.begin());
    }
  }

  /// Between what the limits choose now and the next drafts that were laid out.
  [[nodiscard]] std::set<size_t> beside_choice() const {
    std::vector<FrontFigures> figures;
    for (const PricedPlan& plan : found_) figures.push_back(plan.figures());
    Front front = front_within(limits_);
    const std::vector<size_t> kept = undominated(figures);
    for (const size_t k : kept) front.points.push_back(figures[k]);
    const size_t chosen = draft_of_[kept[front.chosen()]];
    std::set<size_t> some;
    const auto add_between = [&](size_t first, size_t last) {
      const size_t count = std::min(effort_.layouts_beside, last - first - 1);
      for (size_t n = 1; n <= count; ++n) some.insert(first + (last - first) * n / (count + 1));
    };
    const auto at = laid_out_.find(chosen);
    if (at != laid_out_.begin()) add_between(*std::prev(at), chosen);
    if (std::next(at) != laid_out_.end()) add_between(chosen, *std::next(at));
    return some;
  }

  /// Some of the front, and those about what the limits choose: estimates are not exact, and not
  /// every peak can be laid out.
  void lay_out() {
    const std::vector<const AutoDraft*> front = drafts_.front();
    if (front.empty()) return;
    std::set<size_t> some = thinned(front);
    add_about_limits(front, some);
    lay_out(front, some);
    for (int round = 0; round < effort_.rounds_beside && !found_.empty(); ++round)
      lay_out(front, beside_choice());
    lay_out_least();
  }

  /// Where no layout meets the least peak: of other attempts the drafts of fewer bytes than the
  /// smallest layout, which are slower than others of theirs and so in no front.
  void lay_out_least() {
    if (found_.empty() || late(limits_.time)) return;
    const auto arena_of = [](const PricedPlan& plan) { return plan.arena().size_bytes; };
    const auto smallest = std::ranges::min_element(found_, {}, arena_of);
    const AutoAttempt* its = drafts_.front()[draft_of_[smallest - found_.begin()]]->attempt;
    const auto cost = [](const AutoDraft* d) {
      return std::pair(d->cut.cut.peak_bytes, d->cut.instructions);
    };
    std::vector<const AutoDraft*> some;  // of each attempt one
    for (const AutoDraft& draft : drafts_.all()) {
      if (draft.attempt == its || draft.cut.cut.peak_bytes >= arena_of(*smallest)) continue;
      const auto same = std::ranges::find(some, draft.attempt, &AutoDraft::attempt);
      if (same == some.end()) {
        some.push_back(&draft);
      } else if (cost(&draft) < cost(*same)) {
        *same = &draft;
      }
    }
    std::ranges::stable_sort(some, {}, cost);
    if (some.size() > effort_.least_again) some.resize(effort_.least_again);
    for (const AutoDraft* draft : some) {
      if (std::optional<PricedPlan> plan = priced_draft(*draft, true))
        found_.push_back(std::move(*plan));
    }
  }

  void lay_out(const std::vector<const AutoDraft*>& front, const std::set<size_t>& some) {
    const std::vector<size_t> numbers(some.begin(), some.end());
    std::vector<std::optional<PricedPlan>> found(numbers.size());
    in_parallel(numbers.size(), limits_.jobs, [&](size_t n, size_t) {
      const size_t k = numbers[n];
      if ((n > 0 || !laid_out_.empty()) && late(limits_.time)) return;
      found[n] = priced_draft(*front[k], k == 0);
    });
    for (size_t n = 0; n < numbers.size(); ++n) {
      laid_out_.insert(numbers[n]);
      if (!found[n]) continue;
      found_.push_back(std::move(*found[n]));
      draft_of_.push_back(numbers[n]);
    }
  }

  /// With as many bytes as live in the draft; within a limit, with as many as kernels may fill.
  [[nodiscard]] std::optional<PricedPlan> priced_draft(const AutoDraft& draft, bool least) const {
    AutoAttempt& of = *draft.attempt;
    const int64_t peak = draft.cut.cut.peak_bytes;
    const bool about_limit = limits_.sram_bytes && std::abs(peak - *limits_.sram_bytes) <=
                                                       *limits_.sram_bytes / effort_.about_limit;
    Plan plan = stream_plan(of.flow, of.problem, draft.cut.cut, limits_.in_place,
                            {&of.latency, about_limit ? *limits_.sram_bytes : peak});
    if (of.storage) plan.memories.push_back(*of.storage);
    // What sweeps take of a group's shape alone, a kernel may refuse: rings that it does not walk.
    if (!has_derivations(of.flow, plan)) return std::nullopt;
    std::vector<Note> notes = {spans(of.instances, draft.cut.cut)};
    notes.insert(notes.end(), of.notes.begin(), of.notes.end());
    const int64_t work = least ? effort_.least_draft_work : effort_.draft_work;
    Realisation realisation(of.flow, of.latency, std::move(plan), placement_options(work));
    realisation.add_waits(limits_.storage_cycles);
    if (realisation.executed_macs() > drafts_.most_macs()) return std::nullopt;
    RealisedPlan realised = about_limit ? realisation.arena_within(limits_.sram_bytes)
                                        : realisation.with(realisation.live_within(peak));
    if (of.storage && beyond_capacity(realised.schedule, realised.placement)) return std::nullopt;
    return priced_plan(std::move(realised), std::move(notes));
  }

  [[nodiscard]] PricedPlan priced_plan(RealisedPlan realised, std::vector<Note> notes) const {
    PricedPlan found{std::move(realised), std::move(notes), drafts_.network_macs()};
    for (Note& note : found.notes) {
      if (auto* spans = std::get_if<note::Spans>(&note))
        spans->peak_bytes = found.arena().peak_bytes;
    }
    return found;
  }

  /// With as few bytes as it can do with, and with room for fast kernels.
  void add(const Decision& start) {
    const Dataflow flow(axes_, start.plan.instances);
    if (!has_derivations(flow, start.plan)) return;
    LatencyEstimate latency(flow, drafts_.known());
    const int64_t peak = evaluate(flow, start.plan).peak_bytes;
    std::set<int64_t> live = {peak, peak + peak / 16, peak + peak / 8};
    if (limits_.sram_bytes) live.insert(*limits_.sram_bytes);
    if (start.live_bytes) live.insert(*start.live_bytes);
    Realisation realisation(flow, latency, start.plan, placement_options(effort_.draft_work));
    if (realisation.executed_macs() > drafts_.most_macs()) return;
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
  const StorageBounds bounds_;
  AutoDrafts drafts_;
  const Effort effort_;
  std::vector<Decision> starts_;
  std::vector<PricedPlan> found_;
  std::vector<size_t> draft_of_;  ///< per plan that was found first
  std::set<size_t> laid_out_;     ///< drafts
};

}  // namespace

namespace {

StorageBounds storage_bounds(const Limits& limits, const PlannerOptions& options) {
  StorageBounds bounds;
  if (const auto bytes = number_option(options, "written", 0)) bounds.written_bytes = *bytes;
  if (const auto bytes = number_option(options, "moved", 0)) bounds.moved_bytes = *bytes;
  if (const auto microjoules = number_option(options, "microjoules", 0)) {
    constexpr double kNanojoules = 1000;
    bounds.nanojoules = kNanojoules * static_cast<double>(*microjoules);
    if (limits.storage && !limits.storage_energy) {
      throw CompileError("auto:microjoules",
                         fmt::format("nobody knows what {0} takes: --storage {0}:read_energy=.., "
                                     "write_energy=..,erase_energy=.. say it, in nanojoules",
                                     limits.storage->name));
    }
  }
  return bounds;
}

}  // namespace

PlannerAnswer plan_auto(const Graph& graph, const Limits& limits, const PlannerOptions& options) {
  const AxisGraph axes(graph);
  AutoSearch search(axes, limits, storage_bounds(limits, options));
  return search.answer();
}

}  // namespace thimble
