// SPDX-License-Identifier: Apache-2.0
// Runs are joined to holes, each of which is filled exactly if it can be.
#include "thimble/layout/hole_filling.h"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

#include "thimble/layout/sweep.h"

namespace thimble::layout {
namespace {

constexpr int64_t kStepsPerWork = 3;
constexpr int64_t kSumsWork = 100;  ///< for the sums of one that begins
constexpr int64_t kRunsWork = 4;    ///< per leaf of a tree
constexpr int64_t kStepsPerRun = 8;
constexpr int kPasses = 4;  ///< in other sequences of holes

}  // namespace

int64_t bytes_of(const std::vector<Item>& items, const Items& of) {
  int64_t result = 0;
  for (const int i : of) result += items[index(i)].bytes;
  return result;
}

/// Counts down what a choice was given.
class HoleFilling::Choice {
 public:
  Choice(HoleFilling& filling, Quota quota)
      : filling_(filling),
        steps_end_(filling.steps_ + quota.steps),
        found_end_(std::ssize(filling.results_) + quota.fillings) {}
  /// Asked where there is more to try.
  [[nodiscard]] bool over() const {
    const bool result =
        filling_.steps_ >= steps_end_ || std::ssize(filling_.results_) >= found_end_;
    filling_.cut_ = filling_.cut_ || result;
    return result;
  }
  [[nodiscard]] Quota left() const {
    return {steps_end_ - filling_.steps_, found_end_ - std::ssize(filling_.results_)};
  }
  /// For one way to go on; the last has all that is left. There may be a hundred choices below
  /// each other: as many steps as lead straight to the end are never kept back.
  [[nodiscard]] Quota share() const {
    const int64_t straight = kStepsPerRun * std::ssize(filling_.runs_);
    return {std::min(left().steps, std::max(left().steps * 7 / 8, straight)),
            (left().fillings + 1) / 2};
  }

 private:
  HoleFilling& filling_;
  const int64_t steps_end_, found_end_;
};

HoleFilling::HoleFilling(const std::vector<Item>& items, Items begins, int64_t quantum,
                         std::vector<bool>& marks, int64_t& work)
    : items_(items),
      begins_(std::move(begins)),
      quantum_(quantum),
      marks_(marks),
      work_(work),
      sums_(begins_.size() + 1),
      filled_(begins_.size(), false) {
  std::ranges::sort(begins_, {}, [&](int i) {
    return std::tuple(-items_[index(i)].bytes, items_[index(i)].end, i);
  });
  work_ -= std::ssize(begins_) * kSumsWork;
  sums_.back()[0] = true;
  for (size_t i = begins_.size(); i-- > 0;) {
    const size_t by = sum_of(items_[index(begins_[i])].bytes);
    sums_[i] = sums_[i + 1] | (sums_[i + 1] << by) | (sums_[i + 1] >> (kSums - by));
  }
}

std::vector<Holes> HoleFilling::fill(PqNode& tree, const Items& ends, Quota quota,
                                     std::mt19937& random) {
  for (const int i : ends) marks_[index(i)] = true;
  MarkedRuns runs = marked_runs(tree, marks_);
  for (const int i : ends) marks_[index(i)] = false;
  work_ -= tree.leaves * kRunsWork;
  runs_.clear();
  for (Items& run : runs.runs) {
    const int64_t bytes = bytes_of(items_, run);
    runs_.push_back({bytes, static_cast<int>(runs_.size()), std::move(run), false});
  }
  run_marks_.assign(runs_.size() + 1, false);
  unused_ = bytes_of(items_, ends) - bytes_of(items_, begins_);
  results_.clear();
  steps_ = 0;
  for (int pass = 0; pass < kPasses && std::ssize(results_) < quota.fillings; ++pass) {
    std::ranges::sort(runs_, {}, [](const Run& run) { return std::tie(run.bytes, run.number); });
    if (pass == 1) std::ranges::reverse(runs_);
    for (size_t i = pass < 2 ? 0 : runs_.size(); i > 1; --i)
      std::swap(runs_[i - 1], runs_[random() % i]);
    const Choice all(*this, {quota.steps, quota.fillings - std::ssize(results_)});
    cut_ = false;
    next_hole(runs.tree, pass + 1 < kPasses ? all.share() : all.left());
    if (!cut_) break;  // there are no more
  }
  work_ -= steps_ / kStepsPerWork;
  return std::move(results_);
}

void HoleFilling::next_hole(const PqNode& tree, Quota quota) {
  const auto first = std::ranges::find(runs_, false, &Run::taken);
  if (first == runs_.end()) {
    if (unused_ == 0 && std::ranges::find(filled_, false) == filled_.end())
      results_.push_back(holes_);
    return;
  }
  first->taken = true;
  holes_.push_back({.ends = first->items, .begins = {}, .unused = 0, .joined = false});
  const Items joined_before = std::exchange(joined_, {first->number});
  const int64_t others = begins_.empty() ? 0 : std::ranges::count(runs_, false, &Run::taken);
  const auto next = static_cast<size_t>(first - runs_.begin()) + 1;
  const Choice choice(*this, quota);
  for (int64_t more = 0; more <= others && !choice.over(); ++more) {
    holes_.back().joined = more > 0;
    join(tree, next, more, first->bytes,
         Choice(*this, more < others ? choice.share() : choice.left()));
  }
  joined_ = joined_before;
  holes_.pop_back();
  first->taken = false;
}

/// So many more runs to the last of holes_.
void HoleFilling::join(const PqNode& tree, size_t from, int64_t more, int64_t bytes,
                       const Choice& choice) {
  if (more == 0) {
    start(tree, bytes, choice);
    return;
  }
  for (size_t i = from; i < runs_.size() && !choice.over(); ++i) {
    if (runs_[i].taken) continue;
    runs_[i].taken = true;
    joined_.push_back(runs_[i].number);
    Items& ends = holes_.back().ends;
    const size_t count = ends.size();
    ends.insert(ends.end(), runs_[i].items.begin(), runs_[i].items.end());
    join(tree, i + 1, more - 1, bytes + runs_[i].bytes, choice);
    holes_.back().ends.resize(count);
    joined_.pop_back();
    runs_[i].taken = false;
  }
}

/// It is chosen what ends in the last of holes_, so many bytes.
void HoleFilling::start(const PqNode& tree, int64_t bytes, const Choice& choice) {
  ++steps_;
  if (unused_ == 0 && !sums_[0][sum_of(bytes)]) return;
  if (!holes_.back().joined) {
    fill_hole(tree, bytes, choice);
    return;
  }
  PqNode joined = tree;
  for (const int run : joined_) run_marks_[index(run)] = true;
  const bool possible = restrict(joined, run_marks_);
  for (const int run : joined_) run_marks_[index(run)] = false;
  steps_ += joined.leaves;
  if (possible) fill_hole(joined, bytes, choice);
}

/// With all of its bytes; with all but the unused; with none.
void HoleFilling::fill_hole(const PqNode& tree, int64_t bytes, const Choice& choice) {
  choose(tree, 0, bytes, choice);
  const int64_t all = unused_;
  for (const int64_t unused : {all, bytes}) {
    if (unused == 0 || unused > std::min(all, bytes) || choice.over()) continue;
    holes_.back().unused = unused;
    unused_ -= unused;
    choose(tree, 0, bytes - unused, choice);
    unused_ += unused;
    holes_.back().unused = 0;
    if (all == bytes) break;
  }
}

/// So many bytes, of begins_ from there on.
void HoleFilling::choose(const PqNode& tree, size_t from, int64_t bytes, const Choice& choice) {
  ++steps_;
  if (bytes == 0) {
    next_hole(tree, choice.left());
    return;
  }
  for (size_t i = from; i < begins_.size() && !choice.over(); ++i) {
    if (!sums_[i][sum_of(bytes)]) break;
    if (filled_[i] || items_[index(begins_[i])].bytes > bytes) continue;
    if (i > from && !filled_[i - 1] && alike(begins_[i - 1], begins_[i])) continue;
    filled_[i] = true;
    holes_.back().begins.push_back(begins_[i]);
    choose(tree, i + 1, bytes - items_[index(begins_[i])].bytes, choice);
    holes_.back().begins.pop_back();
    filled_[i] = false;
  }
}

size_t HoleFilling::sum_of(int64_t bytes) const {
  return static_cast<size_t>(bytes / quantum_) % kSums;
}

bool HoleFilling::alike(int a, int b) const {
  return items_[index(a)].bytes == items_[index(b)].bytes &&
         items_[index(a)].end == items_[index(b)].end;
}

}  // namespace thimble::layout
