// SPDX-License-Identifier: Apache-2.0
// Between graphs and orders of whole operators.
#pragma once

#include "thimble/schedule/schedule.h"
#include "thimble/search/order.h"

namespace thimble {

/// The graph as an operator-reordering problem; tensors are numbered by TensorId, constants have
/// size 0. in_place: an operator may take the bytes of an input where its kernel's progress allows
/// the output at the input's address (elementwise, reshape), or has a kernel for it (depthwise,
/// with scratch). Ports outside of the arena have size 0, and nothing takes their bytes or has them
/// take its own.
[[nodiscard]] OrderProblem order_problem(const Graph& graph, bool in_place,
                                         const PortPlaces& ports = {});

/// How far an operator that executes in one piece writes ahead of the bytes of an input that it
/// still has to read: at most `bytes` (negative: it stays behind).
struct InputLead {
  TensorId input;
  int64_t bytes = 0;
};
/// The leads of a graph's operators, each measured by itself.
class InputLeads {
 public:
  /// The graph must outlive this.
  explicit InputLeads(const Graph& graph);

  /// One entry per input whose bytes the output could take at all.
  [[nodiscard]] std::vector<InputLead> of(OpId op) const;
  /// No port has the tensor in another order.
  [[nodiscard]] bool lies_row_major(TensorId t) const { return lies_row_major_[t.index()]; }

 private:
  const Graph& graph_;
  std::vector<std::vector<int>> order_;  ///< per tensor, as ports have it
  std::vector<bool> lies_row_major_;     ///< per tensor
};

/// Each operator once, from and into whole tensors, in that order. Depthwise convolutions run in
/// place only where the peak asks for it.
[[nodiscard]] Schedule whole_operator_schedule(const Graph& graph, const OrderProblem& problem,
                                               const Order& order, bool in_place);

}  // namespace thimble
