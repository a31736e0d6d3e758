// SPDX-License-Identifier: Apache-2.0
#include "thimble/planners/auto_drafts.h"

#include <algorithm>
#include <set>

#include "thimble/moves/by_columns.h"
#include "thimble/moves/relayout_inputs.h"
#include "thimble/moves/rematerialise.h"
#include "thimble/moves/spill.h"
#include "thimble/operators/operators.h"
#include "thimble/search/parallel.h"
#include "thimble/search/pareto.h"

namespace thimble {
int64_t macs_within(int64_t once, const Limits& limits) {
  if (!limits.max_recompute) return kAnyMacs;
  return once + static_cast<int64_t>(*limits.max_recompute * static_cast<double>(once));
}

void AutoDrafts::find() {
  std::vector<AutoAttempt*> first = {&add_attempt(given_)};
  if (limits_.in_place && limits_.ports.input == Place::kResident) {
    if (std::optional<Instances> relaid = relayout_inputs(graph_, given_))
      first.push_back(&add_attempt(std::move(*relaid), {note::InputRelaid{}}));
  }
  if (std::optional<Instances> columns = turned(given_))
    first.push_back(&add_attempt(std::move(*columns), {note::ByColumns{}}));
  const int64_t least = cut(first);
  const int64_t more = most_macs_ == kAnyMacs ? kAnyMacs : most_macs_ - macs_;
  rematerialise_more(axes_, given_, more, [&](const Rematerialisations& chosen, int64_t macs) {
    if (late(limits_.time)) return Gain::kEnough;
    const int64_t before = least_;
    cut({&add_attempt(rematerialise(given_, chosen),
                      {note::Rematerialised{.tensors = std::ssize(chosen), .macs = macs}})});
    return least_ < before ? Gain::kSome : Gain::kNone;
  });
  find_rests(least);
}

std::optional<Instances> AutoDrafts::turned(const Instances& instances) const {
  const bool worthwhile = limits_.in_place && limits_.ports.input != Place::kStreamed &&
                          limits_.ports.output != Place::kStreamed &&
                          Effort(instances.list.size(), limits_.effort).rolled_and_strips;
  return worthwhile ? by_columns(axes_, instances) : std::nullopt;
}

void AutoDrafts::find_rests(int64_t least_bytes) {
  const Effort effort(given_.list.size(), limits_.effort);
  if (!limits_.storage && !effort.rolled_and_strips) return;
  std::vector<ValueId> values;
  for (const ColdValue& cold : cold_values(graph_, given_)) {
    if (values.size() < effort.cold_values) values.push_back(cold.value);
  }
  std::vector<Rest> more = {Rest::kAgain};
  if (limits_.storage) more.push_back(Rest::kSpilled);
  std::vector<Rests> found = {{{}, least_bytes}};
  for (size_t k = 0; k < values.size(); ++k) {
    std::vector<Rests> longer;
    for (const Rests& one : found) {
      for (const Rest way : more) {
        if (late(limits_.time)) return;
        std::vector<Rest> ways = one.ways;
        ways.resize(k, Rest::kKept);
        ways.push_back(way);
        const int64_t least = cut(resting({values.data(), k + 1}, ways));
        if (least < one.least_bytes) longer.push_back({std::move(ways), least});
      }
    }
    found.insert(found.end(), longer.begin(), longer.end());
    std::ranges::stable_sort(found, {}, &Rests::least_bytes);
    if (found.size() > effort.rests) found.resize(effort.rests);
  }
}

std::vector<AutoAttempt*> AutoDrafts::resting(std::span<const ValueId> values,
                                              const std::vector<Rest>& ways) {
  std::vector<AutoAttempt*> attempts;
  const auto resting = [&](const std::vector<int>& axis_order) {
    const ScheduleMemory storage = limits_.storage.value_or(ScheduleMemory{});
    return rest(graph_, given_, values, ways,
                {.write_bytes = storage.storage.value_or(BlockStorage{}).write_bytes,
                 .chunk_bytes = limits_.storage_chunk_bytes,
                 .axis_order = axis_order});
  };
  add_resting(resting({}), {}, attempts);
  if (std::optional<Instances> columns = turned(resting({}))) {
    add_resting(std::move(*columns), {note::ByColumns{}}, attempts);
    // Records of columns, too.
    const bool spills = std::ranges::find(ways, Rest::kSpilled) != ways.end();
    if (spills) add_resting(*turned(resting(kColumnsOutermost)), {note::ByColumns{}}, attempts);
  }
  return attempts;
}

void AutoDrafts::add_resting(Instances instances, std::vector<Note> notes,
                             std::vector<AutoAttempt*>& attempts) {
  int64_t executed = 0;
  for (const Instance& instance : instances.list)
    executed += instance.op.valid() ? macs(graph_, graph_.op(instance.op)) : 0;
  if (executed > most_macs_) return;
  if (executed > macs_) {
    const auto copies = std::ranges::count_if(
        instances.list, [](const Instance& instance) { return !instance.op.valid(); });
    const auto again = std::ssize(instances.list) - copies - std::ssize(graph_.ops);
    notes.emplace_back(note::Rematerialised{.tensors = again, .macs = executed - macs_});
  }
  const ScheduleMemory storage = limits_.storage.value_or(ScheduleMemory{});
  const note::Spilled note = spilled(graph_, instances, storage.name);
  if (note.tensors > 0) {
    const TransferWork work = transfer_work(instances, graph_, storage);
    const TransferEnergy energy = limits_.storage_energy.value_or(TransferEnergy{});
    if (work.written > bounds_.written_bytes || energy.of(work) > bounds_.nanojoules) return;
    notes.emplace_back(note);
  }
  AutoAttempt& attempt = add_attempt(std::move(instances), std::move(notes));
  if (note.tensors > 0) {
    attempt.storage = storage;
    attempt.erase_cycles = erase_cycles(attempt.instances, graph_, storage, limits_.storage_cycles);
  }
  attempts.push_back(&attempt);
}

std::vector<const AutoDraft*> AutoDrafts::front() const {
  std::vector<const AutoDraft*> drafts;
  for (const AutoDraft& draft : drafts_) drafts.push_back(&draft);
  return pareto(
      std::move(drafts), [](const AutoDraft* d) { return d->cut.cut.peak_bytes; },
      [](const AutoDraft* d) { return d->cut.instructions; });
}

AutoAttempt& AutoDrafts::add_attempt(Instances instances, std::vector<Note> notes) {
  AutoAttempt& now = attempts_.emplace_back(axes_, std::move(instances), limits_.in_place, known_);
  now.notes = std::move(notes);
  return now;
}

int64_t AutoDrafts::cut(const std::vector<AutoAttempt*>& attempts) {
  struct Task {
    AutoAttempt* attempt;
    std::vector<int> order;
    std::vector<AutoCut> front;
    std::string obstacle;
  };
  std::vector<std::vector<std::vector<int>>> found(attempts.size());
  in_parallel(attempts.size(), limits_.jobs,
              [&](size_t k, size_t) { found[k] = orders_for(*attempts[k]); });
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
  int64_t least = RolledGroups::kImpossible;
  for (Task& task : tasks) {
    for (AutoCut& cut : task.front) {
      cut.instructions += task.attempt->erase_cycles;
      least = std::min(least, cut.cut.peak_bytes);
      drafts_.push_back({task.attempt, std::move(cut)});
    }
    if (drafts_.empty()) obstacle_ = task.obstacle;
  }
  least_ = std::min(least_, least);
  return least;
}

std::vector<AutoCut> AutoDrafts::cuts_of(AutoAttempt& of, const std::vector<int>& order, int jobs,
                                         std::string& obstacle) const {
  const Effort effort(order.size(), limits_.effort);
  AutoCuts cuts(of.channels, of.problem, order, of.latency,
                {.in_place = limits_.in_place,
                 .most_macs = most_macs_,
                 .effort = effort,
                 .time = limits_.time,
                 .jobs = jobs,
                 .storage = of.storage ? &*of.storage : nullptr,
                 .storage_cycles = limits_.storage_cycles});
  // Rolled groups and strips of large networks take long to find: once, by `stream`.
  if (effort.rolled_and_strips && !late(limits_.time)) cuts.add_rolled();
  if (effort.rolled_and_strips && !late(limits_.time)) cuts.add_strips();
  if (effort.others && !late(limits_.time)) cuts.add_parts();
  obstacle = cuts.obstacle();
  return cuts.front();
}

std::vector<std::vector<int>> AutoDrafts::orders_for(const AutoAttempt& of) {
  std::vector<std::vector<int>> some = orders_.orders_of(of.flow, of.problem, limits_.time);
  const Effort effort(of.instances.list.size(), limits_.effort);
  if (!effort.more_orders) return some;
  const std::set<std::vector<int>> known(some.begin(), some.end());
  for (std::vector<int>& order : more_orders(of.flow, of.problem, effort.orders)) {
    if (!known.contains(order)) some.push_back(std::move(order));
  }
  return some;
}

}  // namespace thimble
