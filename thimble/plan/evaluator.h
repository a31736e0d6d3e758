// SPDX-License-Identifier: Apache-2.0
// What many plans cost: what they have in common is found out once.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <unordered_map>

#include "thimble/plan/evaluate.h"
#include "thimble/plan/overlap_lead.h"

namespace thimble {

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
  std::map<std::pair<InstanceId, Method>, Whole> whole_;
  std::map<std::tuple<InstanceId, Method, ValueId>, std::optional<ValueLead>> leads_;
  std::map<std::tuple<const GroupCost*, ValueId, ValueId>, std::optional<ValueLead>> group_leads_;
};

}  // namespace thimble
