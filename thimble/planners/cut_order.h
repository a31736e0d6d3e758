// SPDX-License-Identifier: Apache-2.0
// The order of a network's instances, and where it can be cut: one value is live there, which may
// lie in storage until what is behind reads it.
#pragma once

#include <cstdint>
#include <vector>

#include "thimble/moves/spill.h"
#include "thimble/plan/order_plan.h"
#include "thimble/plan/order_problem.h"

namespace thimble {

struct CutOrder {
  CutOrder(const AxisGraph& some_axes, const PortPlaces& ports);
  CutOrder(const CutOrder&) = delete;  // its dataflow is of its own instances
  CutOrder& operator=(const CutOrder&) = delete;

  const Graph& graph;
  const AxisGraph& axes;
  const Instances base;  ///< nothing is stored
  const Dataflow flow;
  const OrderProblem problem;
  const std::vector<int> order;  ///< of instances
  const OrderBytes bytes;
  std::vector<int> cuts;        ///< positions; the first is 0, the last the end
  std::vector<ValueId> values;  ///< per cut; invalid at both ends, and where none is live

  [[nodiscard]] const Instance& at(int position) const {
    return base.instance({order[static_cast<size_t>(position)]});
  }
  [[nodiscard]] int next_cut(int cut) const;
  [[nodiscard]] ValueId value_at(int cut) const;
  /// Whether the value at a cut may lie in storage.
  [[nodiscard]] bool can_store(int cut) const;
  /// Live beside positions from `begin` to `end`, both cuts: what they find and what they leave.
  [[nodiscard]] int64_t around(int begin, int end, bool fetches, bool stores) const;
  /// The instances, with those that store and fetch these.
  [[nodiscard]] Instances spilling(const std::vector<ValueId>& stored) const;
};

}  // namespace thimble
