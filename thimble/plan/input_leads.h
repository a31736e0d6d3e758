// SPDX-License-Identifier: Apache-2.0
// How far operators that execute in one piece write ahead of what they still have to read.
#pragma once

#include "thimble/schedule/schedule.h"

namespace thimble {

/// How far an operator that executes in one piece writes ahead of the bytes of an input that it
/// still has to read: at most `bytes` (negative: it stays behind).
struct InputLead {
  TensorId input;
  int64_t bytes = 0;
};

/// The leads of a graph's operators, each measured by itself.
class InputLeads {
 public:
  /// The graph must outlive this. Tensors lie in memory as the graph's ports have them.
  explicit InputLeads(const Graph& graph);
  /// axis_orders: per tensor, outermost axis first; empty: row-major.
  InputLeads(const Graph& graph, std::vector<std::vector<int>> axis_orders);

  /// One entry per input whose bytes the output could take at all.
  [[nodiscard]] std::vector<InputLead> of(OpId op) const;
  [[nodiscard]] bool lies_row_major(TensorId t) const { return axis_orders_[t.index()].empty(); }

 private:
  const Graph& graph_;
  std::vector<std::vector<int>> axis_orders_;
};

}  // namespace thimble
