// SPDX-License-Identifier: Apache-2.0
// The least peak of all plans of a small network, by looking at all of them: what planners are
// measured by. Nothing here is a heuristic; where the space ends is said:
//
//   orders    every order of the instances, cut into whole instances and groups in every way
//   groups    those of all_groups.h
//   overlaps  one output over one consumed input per group or instance, as far as leads allow
//
// What an order comes to follows from sets: the least peak up to a set of executed instances is
// that up to a smaller one, or that of the piece between the two. Bytes are those of derive().
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "tests/planners/all_groups.h"

namespace thimble::testing {

struct LeastPlan {
  Plan plan;
  int64_t peak_bytes = 0;  ///< as evaluate() counts
  bool recomputes = false;
};

class AllPlans {
 public:
  static constexpr int kMostInstances = 12;

  /// kLarger: GroupLimits::everything, to see that nothing is missing.
  enum class Space : uint8_t { kUsual, kLarger };

  /// The dataflow has at most kMostInstances, no copies. It must outlive this.
  explicit AllPlans(const Dataflow& flow, Space space = Space::kUsual);

  /// That of the least peak; nothing if none is below `below_bytes`. recomputes: plans may execute
  /// more MACs than the network has.
  [[nodiscard]] std::optional<LeastPlan> least(int64_t below_bytes, bool recomputes);
  /// Groups that derive() was asked about so far.
  [[nodiscard]] int64_t asked() const { return asked_; }

 private:
  using Set = uint32_t;  ///< of instances, a bit each

  struct Step {
    int64_t peak_bytes = 0;
    Set before = 0;
    Member member;
    bool recomputes = false;
    std::optional<OverlapChoice> overlap;
  };

  [[nodiscard]] static Set bit(InstanceId id) { return Set{1} << id.index(); }
  [[nodiscard]] const std::vector<PieceExecution>& executions(Set piece);
  void add_whole(InstanceId id, std::vector<PieceExecution>& result) const;
  /// What instances outside of the set read of it, and outputs of the network.
  [[nodiscard]] bool is_used_outside(ValueId made, Set piece) const;
  [[nodiscard]] int64_t made_bytes(Set piece) const;
  [[nodiscard]] bool is_live(ValueId v, Set executed) const;
  [[nodiscard]] bool is_consumed(ValueId v, Set executed, Set piece) const;
  /// From so many bytes on, no plan below the limit has a piece, but for what overlaps save.
  [[nodiscard]] int64_t incumbent_bytes_of(Set piece) const;
  void extend(Set executed, Set piece, std::map<Set, Step>& best);

  const Dataflow& flow_;
  const Space space_;
  std::vector<Set> needs_;      ///< per instance: makers of what it reads
  std::vector<Set> readers_;    ///< per value
  std::vector<Set> closed_;     ///< sets that contain what their instances need, ascending
  int64_t below_bytes_ = 0;     ///< of the plans that are asked for
  bool may_recompute_ = false;  ///< likewise
  std::map<Set, std::vector<PieceExecution>> executions_;
  int64_t asked_ = 0;
};

}  // namespace thimble::testing
