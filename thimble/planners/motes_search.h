// SPDX-License-Identifier: Apache-2.0
// The beam search of `motes`: sets of partition schemes of one order.
#pragma once

#include <memory>
#include <tuple>

#include "thimble/plan/order_problem.h"
#include "thimble/planners/motes_schemes.h"
#include "thimble/planners/planner.h"

namespace thimble {

/// Steps that blocks may take beyond one per instance: a step takes about as much code in a block
/// (150 B on a Cortex-M4) as whole (185 B), so code grows by half and 16 KB.
[[nodiscard]] inline int64_t usual_steps(int64_t instances) { return instances / 2 + 100; }

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

  /// Looks for no less than budget_bytes. Where the limit on time leaves nothing that fits, it
  /// counts from the kernels for which whole operators have room.
  void run(int64_t budget_bytes);

  // Once it has run.
  /// What it found, best first.
  [[nodiscard]] const std::vector<MotesState>& found() const { return found_; }
  [[nodiscard]] LessThan less() const { return {whole_instructions_ * options_.max_latency}; }

  Decision planned(const MotesState& state);

 private:
  using Unit = MotesSchemes::Unit;

  [[nodiscard]] std::vector<MotesState> beam_search(int64_t budget_bytes);

  /// With the fewest bytes with which it is within the limit on time; if there are none, with the
  /// fewest of all.
  void measure(MotesState& state) const;

  /// Whole operators with the kernels for which there is room in so many bytes.
  [[nodiscard]] double whole_within(int64_t bytes) const;

  /// In place, or apart where that is faster.
  [[nodiscard]] PieceTimes single_times(int at);

  /// The state with one more scheme, in place of those that it touches; inside of one if it is
  /// along channels and that is not.
  [[nodiscard]] MotesState with(const MotesState& state, const Unit& unit) const;

  /// Where no set of the beam gains: the best of all sets of the schemes that were measured so far,
  /// as a cut of the order.
  [[nodiscard]] std::optional<MotesState> best_of_all() const;

  [[nodiscard]] static bool has(const PieceTimes& times, int64_t bytes) {
    return fastest_within(times, bytes).live_bytes == bytes;
  }

  /// Where the most is live: positions [begin, end), one instance or a scheme.
  [[nodiscard]] std::pair<int, int> peak_of(const MotesState& state) const;

  /// Schemes around the peak that need less than the state does, none of which another one is as
  /// good as; the nearest ones first where there are too many.
  [[nodiscard]] std::vector<Unit> schemes_at_peak(const MotesState& state);

  /// What it replaces may have kept the peak down elsewhere.
  [[nodiscard]] bool is_progress(const MotesState& state, const Unit& unit) const;

  /// Fewer bytes, or fewer instructions beyond those of the instances alone.
  [[nodiscard]] std::vector<Unit> thinned(std::vector<Unit> found) const;

  const Graph& graph_;
  const Limits& limits_;
  const MotesOptions& options_;
  const Instances instances_;
  const Dataflow flow_;
  const OrderProblem problem_;
  const std::vector<int> order_;
  const RolledGroups rolls_;
  const LatencyModel model_;
  LatencyEstimate latency_;
  MotesUnits units_;
  const std::vector<int64_t> single_bytes_;
  std::vector<double> single_instructions_;  ///< per position
  std::vector<PieceTimes> single_times_;     ///< per position
  double whole_instructions_ =
      model_.program;  ///< with fast kernels, as far as the limits have room
  const int64_t most_steps_;
  MotesSchemes schemes_;
  std::vector<MotesState> found_;
};

}  // namespace thimble
