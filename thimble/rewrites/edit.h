// SPDX-License-Identifier: Apache-2.0
// Small edits that the rewrites share.
#pragma once

#include <vector>

#include "thimble/model/graph.h"

namespace thimble {

/// Every reader of `from` (operators, output ports and variables) reads `to` instead, which has the
/// name of a port then.
void redirect(Graph& graph, TensorId from, TensorId to);
/// The graph without the operators whose flag is set.
void erase_ops(Graph& graph, const std::vector<bool>& erase);
/// The port has `tensor` instead, which takes its name.
void move_port(Graph& graph, Port& port, TensorId tensor);
/// Whether a variable begins or ends an inference with it.
[[nodiscard]] bool is_state(const Graph& graph, TensorId tensor);
/// Of the network, or of a variable.
[[nodiscard]] bool is_input(const Graph& graph, TensorId tensor);
[[nodiscard]] bool is_output(const Graph& graph, TensorId tensor);

}  // namespace thimble
