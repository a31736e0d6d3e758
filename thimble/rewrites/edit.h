// SPDX-License-Identifier: Apache-2.0
// Small edits that the rewrites share.
#pragma once

#include <vector>

#include "thimble/model/graph.h"

namespace thimble {

/// Tensors that are read in place of others, by a pass that visits operators in their order.
///   for each op:  instead.read_by(op);  if it goes: instead.redirect(op.outputs[0], op.inputs[0])
class ReadInstead {
 public:
  explicit ReadInstead(Graph& graph) : graph_(graph), instead_(graph.tensors.size()) {}

  /// Every reader of `from` reads `to` instead, which has the name of a port then: output ports and
  /// variables now, operators when read_by() comes to them.
  void redirect(TensorId from, TensorId to);
  void read_by(Op& op) const;

 private:
  Graph& graph_;
  std::vector<TensorId> instead_;  ///< per tensor; invalid: itself
};
/// The graph without the operators whose flag is set.
void erase_ops(Graph& graph, const std::vector<bool>& erase);
/// The port has `tensor` instead, which takes its name.
void move_port(Graph& graph, Port& port, TensorId tensor);
/// Whether a variable begins or ends an inference with it.
[[nodiscard]] bool is_state(const Graph& graph, TensorId tensor);
/// Whether the tensor is an input, or an output, of the network or of a variable.
[[nodiscard]] bool is_input(const Graph& graph, TensorId tensor);
[[nodiscard]] bool is_output(const Graph& graph, TensorId tensor);

}  // namespace thimble
