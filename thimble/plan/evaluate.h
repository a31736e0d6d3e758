// SPDX-License-Identifier: Apache-2.0
// What groups and plans cost, without writing them down as schedules.
#pragma once

#include <map>
#include <memory>
#include <tuple>
#include <unordered_map>

#include "thimble/plan/derive.h"
#include "thimble/plan/overlap_lead.h"
#include "thimble/search/order.h"

namespace thimble {

/// Of a group, wherever it stands in an order.
struct GroupBytes {
  int64_t made = 0;   ///< values that it makes for others, or their sums: full
  int64_t inner = 0;  ///< the most, over its steps, of what lies in it alone, scratch included
  bool operator==(const GroupBytes&) const = default;
};
[[nodiscard]] GroupBytes group_bytes(const Dataflow& dataflow, const Derived& derived);

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
  std::vector<Inner> inner;      ///< what lies in the group alone, scratch included
  std::vector<ValueId> outside;  ///< what it touches besides, in the arena, each once

  GroupCost(const Dataflow& dataflow, Derived group);
};

/// Evaluates many plans of the same instances. Groups are derived once each, by content.
class Evaluator {
 public:
  /// Must outlive it.
  explicit Evaluator(const Dataflow& dataflow);

  /// Nothing if a group has no derivation. plan: of the dataflow's instances.
  [[nodiscard]] std::optional<Cost> cost(const Plan& plan);
  /// Null if the group has no derivation. Valid as long as this.
  [[nodiscard]] const GroupCost* group(const Group& group);

 private:
  struct Hash {
    size_t operator()(const Group& group) const;
  };
  struct Whole {  ///< a call outside of groups
    Work work;
    int64_t scratch_bytes = 0;
  };
  class Sum;

  [[nodiscard]] const Whole& whole(const InstanceCall& call);
  [[nodiscard]] std::optional<ValueLead> lead(const InstanceCall& call, ValueId in);
  [[nodiscard]] std::optional<ValueLead> lead(const GroupCost& group, ValueId out, ValueId in);

  const Dataflow& flow_;
  std::vector<int64_t> size_bytes_;  ///< per value, then per value's sums
  std::unordered_map<Group, std::unique_ptr<GroupCost>, Hash> groups_;
  std::map<std::tuple<InstanceId, Method, KernelId>, Whole> whole_;
  std::map<std::tuple<InstanceId, Method, KernelId, ValueId>, std::optional<ValueLead>> leads_;
  std::map<std::tuple<const GroupCost*, ValueId, ValueId>, std::optional<ValueLead>> group_leads_;
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
