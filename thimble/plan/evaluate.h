// SPDX-License-Identifier: Apache-2.0
// What groups and plans cost, without writing them down as schedules.
#pragma once

#include "thimble/plan/derive.h"
#include "thimble/search/order.h"

namespace thimble {

/// Bytes of a group, wherever it stands in an order.
struct GroupBytes {
  int64_t made = 0;   ///< values that it makes for others, or their sums: full
  int64_t inner = 0;  ///< the most, over its steps, of what lies in it alone, scratch included
  bool operator==(const GroupBytes&) const = default;
};
[[nodiscard]] GroupBytes group_bytes(const Dataflow& dataflow, const Derived& derived);
/// Per step as written: what lies in the group alone, without scratch.
[[nodiscard]] std::vector<int64_t> inner_bytes(const Dataflow& dataflow, const Derived& derived);

struct Work {
  int64_t macs = 0;           ///< as executed
  int64_t elements = 0;       ///< computed, each time
  int64_t calls = 0;          ///< of steps as executed, copies and empty ones included
  int64_t traffic_bytes = 0;  ///< copied between buffers, received or delivered
  bool operator==(const Work&) const = default;
};
[[nodiscard]] Work work(const Dataflow& dataflow, const Derived& derived);

struct Cost {
  int64_t peak_bytes = 0;  ///< of the arena: largest sum of live bytes, shared ones counted once
  Work work;
  bool operator==(const Cost&) const = default;
};
/// What `place` and the execution of build(plan) come to.
[[nodiscard]] Cost evaluate(const Dataflow& dataflow, const Plan& plan);

/// What a group comes to, wherever in a plan it stands.
struct GroupCost {
  struct Inner {
    int64_t bytes = 0;
    LiveRange steps;  ///< of the group
  };
  Derived derived;
  Work work;
  std::vector<Inner> inner;  ///< what lies in the group alone, scratch included
  /// What it touches besides, in the arena, each once, and in which of its steps: all of them where
  /// it is a loop.
  std::vector<std::pair<ValueId, LiveRange>> outside;

  GroupCost(const Dataflow& dataflow, Derived group);
};

/// Bytes live while members of an order execute, the order's instances being computed whole
/// elsewhere.
class OrderBytes {
 public:
  /// All must outlive it. order: instances; problem: of the same.
  OrderBytes(const OrderProblem& problem, const std::vector<int>& order);

  /// While the instances from position `begin` on execute as the group: what was made before and is
  /// needed then or later, what the group makes for others, and what it has inside. Nothing lies
  /// over anything else.
  [[nodiscard]] int64_t group(int begin, const GroupBytes& bytes) const {
    return held(begin) + bytes.made + bytes.inner;
  }
  /// Made before the position, for it or later ones.
  [[nodiscard]] int64_t held(int at) const { return held_[static_cast<size_t>(at)]; }
  [[nodiscard]] const Lives& lives() const { return lives_; }
  /// Values made before position `begin` that instances in [begin, end) are the last to read, in
  /// the arena, ascending.
  [[nodiscard]] std::vector<ValueId> consumed(int begin, int end) const;
  [[nodiscard]] int64_t size(ValueId value) const { return problem_.size_bytes[value.index()]; }

 private:
  const OrderProblem& problem_;
  const std::vector<int>& order_;
  Lives lives_;
  std::vector<int64_t> held_;
};

}  // namespace thimble
