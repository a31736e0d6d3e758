// SPDX-License-Identifier: Apache-2.0
// What pieces of an order come to, bytes and time, wherever sets of partition schemes have them.
#pragma once

#include <unordered_map>

#include "thimble/moves/partition.h"
#include "thimble/plan/evaluator.h"
#include "thimble/plan/latency_estimate.h"

namespace thimble {

/// Positions from `from` on, by `direction` (-1 or 1), over at most so many instances, between
/// which fewer bytes are held than about anywhere nearer, and fewer than `below`: there a scheme
/// may begin, or end.
[[nodiscard]] std::vector<int> held_steps(const OrderBytes& bytes, int count, int from,
                                          int direction, int distance, int64_t below);

class MotesUnits {
 public:
  /// All must outlive it. overlaps: outputs of parts may lie over consumed inputs.
  MotesUnits(const Dataflow& dataflow, const RolledGroups& rolls, const std::vector<int>& order,
             LatencyEstimate& latency, bool overlaps)
      : flow_(dataflow),
        bytes_(rolls.bytes()),
        order_(order),
        latency_(latency),
        overlaps_(overlaps) {}

  /// About the least that positions [begin, end) can need in parts: what they consume and what they
  /// make for others, the largest two of which may overlap, and what is held beside.
  [[nodiscard]] int64_t least_bytes(int begin, int end) const;
  /// Nothing if the group has no derivation.
  [[nodiscard]] std::optional<GroupCandidate> measured(GroupCandidate unit);

 private:
  /// Live bytes per step, without scratch, and behind the last one. shared: bytes that the unit's
  /// overlap saves while both live.
  [[nodiscard]] std::vector<int64_t> live_bytes(const GroupCandidate& unit, const GroupCost& group,
                                                int64_t shared) const;

  const Dataflow& flow_;
  const OrderBytes& bytes_;
  const std::vector<int>& order_;
  LatencyEstimate& latency_;
  const bool overlaps_;
  std::optional<Evaluator> evaluator_;  ///< of the last groups: all of them would take gigabytes
  int groups_ = 0;
};

}  // namespace thimble
