// SPDX-License-Identifier: Apache-2.0
// Stages and grids of patches that `patch` can choose from, and the best of them.
#pragma once

#include "thimble/moves/patches.h"
#include "thimble/operators/operators.h"
#include "thimble/plan/dataflow.h"
#include "thimble/planners/planner.h"
#include "thimble/search/order.h"

namespace thimble {

/// What the user has fixed of `patch`.
struct PatchWishes {
  std::optional<int64_t> patches, split;
  bool paper = false;  ///< accounting
};

/// A stage, and what follows it whatever the patches are.
struct PatchSplit {
  PatchStage stage;
  Order rest;                    ///< of the instances behind the stage
  std::optional<ValueId> under;  ///< input in whose bytes the split value may lie
  int64_t stage_macs = 0;        ///< of whole operators
};

/// A split, in patches, and what it costs.
struct Patches {
  PatchSplit split;
  PatchGrid grid;
  Group group;
  int64_t slice_bytes = 0, least_slice_bytes = 0;  ///< in the order of the group; in any
  int64_t input_bytes = 0;                         ///< of all inputs of the network
  int64_t split_bytes = 0;      ///< of the split value, if it lies over an input: beyond that
  int64_t recomputed_macs = 0;  ///< less than 0 where patches leave out what nobody reads

  [[nodiscard]] int64_t stage_bytes() const { return input_bytes + split_bytes + slice_bytes; }
  [[nodiscard]] int64_t peak_bytes() const {
    return std::max(stage_bytes(), split.rest.peak_bytes);
  }
  [[nodiscard]] int64_t bound_bytes() const {
    return std::max(input_bytes + split_bytes + least_slice_bytes, split.rest.lower_bound_bytes);
  }
  [[nodiscard]] std::string last(const Graph& graph, const Instances& instances) const {
    return label(graph.op(instances.instance(split.stage.instances.back()).op));
  }
};

/// All that the planner could answer, and the best of it.
class PatchSearch {
 public:
  PatchSearch(const Dataflow& dataflow, const OrderProblem& problem, const Limits& limits,
              const PatchWishes& wishes)
      : flow_(dataflow),
        graph_(dataflow.graph),
        problem_(problem),
        limits_(limits),
        wishes_(wishes),
        network_macs_(macs(graph_)) {}

  void run();

  [[nodiscard]] const std::optional<Patches>& best() const { return best_; }
  /// Bound of the peak over all that was looked at, and allowed.
  [[nodiscard]] std::optional<int64_t> bound_bytes() const { return bound_bytes_; }
  [[nodiscard]] int64_t network_macs() const { return network_macs_; }
  /// Why the last split that was tried is none; empty if there were any.
  [[nodiscard]] std::string refusal() const;
  /// Least ratio of recomputed MACs among those that were more than allowed.
  [[nodiscard]] std::optional<double> least_ratio() const { return least_ratio_; }

 private:
  void try_split(InstanceId last);

  [[nodiscard]] PatchSplit split_at(const PatchStage& stage) const;

  /// The largest input that nothing behind the stage needs.
  [[nodiscard]] std::optional<ValueId> input_under(const PatchStage& stage) const;

  /// The order of the stage's instances in which their slices need the least.
  [[nodiscard]] Order stage_order(const PatchSplit& split, const Derived& derived) const;

  void weigh(const PatchSplit& split, const PatchGrid& grid, Group group, Derived derived);

  /// Largest sum of the slices that one call touches, and its scratch: no order needs less.
  [[nodiscard]] int64_t largest_working_set(const Derived& derived) const;

  /// Whether it may be the best, or lower the bound.
  [[nodiscard]] bool matters(const Patches& choice) const {
    return better(choice) || !bound_bytes_ || choice.bound_bytes() < *bound_bytes_;
  }
  /// What fits fits: below the budget fewer bytes are worth nothing.
  [[nodiscard]] int64_t worth_bytes(const Patches& choice) const {
    return std::max(choice.peak_bytes(), limits_.sram_bytes.value_or(0));
  }
  [[nodiscard]] bool better(const Patches& choice) const;

  /// Bytes of the split value beyond those that it takes of an input while patches are executed.
  [[nodiscard]] int64_t bytes_beyond_input(const Patches& choice, int64_t own) const;

  const Dataflow& flow_;
  const Graph& graph_;
  const OrderProblem& problem_;
  const Limits& limits_;
  const PatchWishes wishes_;
  int64_t network_macs_;
  std::optional<Patches> best_;
  std::optional<int64_t> bound_bytes_;
  std::optional<double> least_ratio_;
  std::optional<InstanceId> refused_;
  PatchGrid refused_grid_;
};

}  // namespace thimble
