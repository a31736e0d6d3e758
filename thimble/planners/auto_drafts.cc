// SPDX-License-Identifier: Apache-2.0
#include "thimble/planners/auto_drafts.h"

#include <algorithm>
#include <set>

#include "thimble/moves/by_columns.h"
#include "thimble/moves/cold_values.h"
#include "thimble/moves/relayout_inputs.h"
#include "thimble/moves/rematerialise.h"
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
  cut(first);
  const int64_t more = most_macs_ == kAnyMacs ? kAnyMacs : most_macs_ - macs_;
  rematerialise_more(axes_, given_, more, [&](const Rematerialisations& chosen, int64_t macs) {
    if (late(limits_.time)) return Gain::kEnough;
    const int64_t before = least_;
    cut({&add_attempt(rematerialise(given_, chosen),
                      {note::Rematerialised{.tensors = std::ssize(chosen), .macs = macs}})});
    return least_ < before ? Gain::kSome : Gain::kNone;
  });
  const char* ways_text = std::getenv("WAYS");
  if (ways_text == nullptr) return;
  const std::vector<ColdValue> cold = cold_values(graph_, given_);
  std::vector<ValueId> values;
  std::vector<Rest> ways;
  for (size_t k = 0; k < cold.size() && ways_text[k] != 0; ++k) {
    fprintf(stderr, "cold %s %ld later %zu\n", graph_.tensor(given_.value(cold[k].value).tensor).name.c_str(), cold[k].bytes, cold[k].later.size());
    values.push_back(cold[k].value);
    ways.push_back(ways_text[k] == 'k' ? Rest::kKept : ways_text[k] == 'a' ? Rest::kAgain : Rest::kSpilled);
  }
  for (const std::vector<int>& order : {std::vector<int>{}, std::vector<int>{0, 2, 1, 3}}) {
    least_ = RolledGroups::kImpossible;
    AutoAttempt& a = add_attempt(rest(axes_, given_, values, ways, kFirstFurtherMemory, order), {});
    cut({&a});
    fprintf(stderr, "least %ld obstacle %s\n", least_, obstacle_.c_str());
    if (auto turned = by_columns(graph_, rest(axes_, given_, values, ways, kFirstFurtherMemory, order))) {
    least_ = RolledGroups::kImpossible;
    AutoAttempt& aa = add_attempt(std::move(*turned), {});
    cut({&aa});
    fprintf(stderr, "by columns: least %ld obstacle %s\n", least_, obstacle_.c_str());
    }
  }
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

void AutoDrafts::cut(const std::vector<AutoAttempt*>& attempts) {
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
  for (Task& task : tasks) {
    for (AutoCut& cut : task.front) {
      least_ = std::min(least_, cut.cut.peak_bytes);
      drafts_.push_back({task.attempt, std::move(cut)});
    }
    if (drafts_.empty()) obstacle_ = task.obstacle;
  }
}

std::vector<AutoCut> AutoDrafts::cuts_of(AutoAttempt& of, const std::vector<int>& order, int jobs,
                                         std::string& obstacle) const {
  const Effort effort(order.size(), limits_.effort);
  AutoCuts cuts(of.channels, of.problem, order, of.latency,
                {.in_place = limits_.in_place,
                 .most_macs = most_macs_,
                 .effort = effort,
                 .time = limits_.time,
                 .jobs = jobs});
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
