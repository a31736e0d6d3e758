// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "thimble/operators/operators.h"
#include "thimble/rewrites/edit.h"
#include "thimble/rewrites/rewrites.h"

namespace thimble {
namespace {

void reshape_port(Graph& graph, Port& port, TensorId tensor) {
  if (port.shape.empty()) port.shape = graph.tensor(port.tensor).shape;
  move_port(graph, port, tensor);
}

/// Whether rows that the caller may hand over, or take, one by one remain rows.
bool keeps_rows(const Shape& callers, const Shape& shape) {
  return !has_rows(callers) || (has_rows(shape) && shape[1] == callers[1]);
}

/// A variable, or a port whose bytes lie in another order of axes.
bool is_bound(const Graph& graph, TensorId t) {
  const auto reordered = [&](const Port& p) { return p.tensor == t && !p.order.empty(); };
  return is_state(graph, t) || std::ranges::any_of(graph.inputs, reordered) ||
         std::ranges::any_of(graph.outputs, reordered);
}

}  // namespace

Graph fold_edge_reshapes(Graph graph) {
  std::vector<bool> erase(graph.ops.size());
  const std::vector<std::vector<OpId>> readers = consumers(graph);  // ports alone move
  for (size_t k = 0; k < graph.ops.size(); ++k) {
    if (!std::holds_alternative<Reshape>(graph.ops[k].attributes)) continue;
    const TensorId in = graph.ops[k].inputs[0], out = graph.ops[k].outputs[0];
    const Shape &from = graph.tensor(in).shape, &to = graph.tensor(out).shape;
    if (is_bound(graph, in) || is_bound(graph, out) || is_output(graph, in)) continue;
    if (!keeps_rows(is_input(graph, in) ? from : to, is_input(graph, in) ? to : from)) continue;
    if (is_input(graph, in) && !is_output(graph, out) && readers[in.index()].size() == 1) {
      for (Port& port : graph.inputs) {
        if (port.tensor == in) reshape_port(graph, port, out);
      }
      erase[k] = true;
    } else if (is_output(graph, out) && readers[out.index()].empty() && !is_input(graph, in) &&
               !graph.tensor(in).is_constant()) {
      for (Port& port : graph.outputs) {
        if (port.tensor == out) reshape_port(graph, port, in);
      }
      erase[k] = true;
    }
  }
  erase_ops(graph, erase);
  return graph;
}

}  // namespace thimble
