// SPDX-License-Identifier: Apache-2.0
// Cuts of orders of several attempts, before they are laid out: what `auto` chooses from.
#pragma once

#include <deque>
#include <limits>
#include <string>

#include "thimble/moves/cold_values.h"
#include "thimble/operators/operators.h"
#include "thimble/plan/order_problem.h"
#include "thimble/planners/auto_cuts.h"
#include "thimble/planners/planner.h"
#include "thimble/planners/stream_orders.h"

namespace thimble {

/// The most that an inference may do with storage.
struct StorageBounds {
  int64_t written_bytes = std::numeric_limits<int64_t>::max();
  int64_t moved_bytes = std::numeric_limits<int64_t>::max();  ///< written and read
  double nanojoules = std::numeric_limits<double>::infinity();
};

/// How many MACs a plan may execute where the network has `once`; kAnyMacs: any number.
[[nodiscard]] int64_t macs_within(int64_t once, const Limits& limits);

/// Instances, and what is asked of them.
struct AutoAttempt {
  AutoAttempt(const AxisGraph& axes, Instances some, bool in_place, const LatencyEstimate& known)
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
  std::optional<ScheduleMemory> storage;  ///< that it spills to
  double erase_cycles = 0;                ///< before all
};
/// A plan of an attempt that has not been laid out.
struct AutoDraft {
  AutoAttempt* attempt = nullptr;
  AutoCut cut;
};

class AutoDrafts {
 public:
  /// All must outlive it.
  AutoDrafts(const AxisGraph& axes, const Limits& limits, const StorageBounds& bounds)
      : graph_(axes.graph()),
        axes_(axes),
        limits_(limits),
        bounds_(bounds),
        given_(instances_of(graph_, limits.ports)),
        flow_(axes, given_),
        model_(latency_model_for(limits.core)),
        known_(flow_, limits.core, model_),
        macs_(macs(graph_)),
        most_macs_(macs_within(macs_, limits)) {}

  /// Finds drafts for the instances as they are, with inputs relaid, images by columns, values
  /// computed again, and those that rest for long computed again or spilled.
  void find();

  /// The drafts that no other is as good as: fewest bytes first, fastest last.
  [[nodiscard]] std::vector<const AutoDraft*> front() const;

  [[nodiscard]] const std::deque<AutoDraft>& all() const { return drafts_; }
  /// Why there are none.
  [[nodiscard]] const std::string& obstacle() const { return obstacle_; }
  [[nodiscard]] AutoAttempt& first() { return attempts_.front(); }
  [[nodiscard]] KnownOrders& orders() { return orders_; }
  [[nodiscard]] const Instances& given() const { return given_; }
  [[nodiscard]] const LatencyEstimate& known() const { return known_; }
  [[nodiscard]] const LatencyModel& model() const { return model_; }
  [[nodiscard]] int64_t network_macs() const { return macs_; }
  [[nodiscard]] int64_t most_macs() const { return most_macs_; }

 private:
  /// A way to have the values that rest for long, and the least peak of its drafts.
  struct Rests {
    std::vector<Rest> ways;
    int64_t least_bytes = 0;
  };

  AutoAttempt& add_attempt(Instances instances, std::vector<Note> notes = {});

  /// Cuts of all their orders. The least peak.
  int64_t cut(const std::vector<AutoAttempt*>& attempts);
  /// With images by columns, where that may help.
  [[nodiscard]] std::optional<Instances> turned(const Instances& instances) const;
  /// Attempts with values that rest for long computed again or spilled: one more each time, the
  /// largest first, where that made a peak smaller.
  void find_rests(int64_t least_bytes);
  /// What may be attempted of the instances so, and of these by columns.
  std::vector<AutoAttempt*> resting(std::span<const ValueId> values, const std::vector<Rest>& ways);
  void add_resting(Instances instances, std::vector<Note> notes,
                   std::vector<AutoAttempt*>& attempts);

  std::vector<AutoCut> cuts_of(AutoAttempt& of, const std::vector<int>& order, int jobs,
                               std::string& obstacle) const;

  /// The orders that `stream` cuts, and of small networks more.
  std::vector<std::vector<int>> orders_for(const AutoAttempt& of);

  const Graph& graph_;
  const AxisGraph& axes_;
  const Limits& limits_;
  const StorageBounds bounds_;
  const Instances given_;
  const Dataflow flow_;
  const LatencyModel model_;
  const LatencyEstimate known_;  ///< what all attempts have counted
  const int64_t macs_, most_macs_;
  KnownOrders orders_;
  std::deque<AutoAttempt> attempts_;
  std::deque<AutoDraft> drafts_;
  int64_t least_ = RolledGroups::kImpossible;  ///< peak of a draft
  std::string obstacle_;                       ///< if there is none
};

}  // namespace thimble
