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

Graph fold_edge_reshapes(const Graph& graph) {
  Graph result = graph;
  std::vector<bool> erase(result.ops.size());
  const std::vector<std::vector<OpId>> readers = consumers(graph);  // ports alone move
  for (size_t k = 0; k < result.ops.size(); ++k) {
    if (!std::holds_alternative<Reshape>(result.ops[k].attributes)) continue;
    const TensorId in = result.ops[k].inputs[0], out = result.ops[k].outputs[0];
    const Shape &from = result.tensor(in).shape, &to = result.tensor(out).shape;
    if (is_bound(result, in) || is_bound(result, out) || is_output(result, in)) continue;
    if (!keeps_rows(is_input(result, in) ? from : to, is_input(result, in) ? to : from)) continue;
    if (is_input(result, in) && !is_output(result, out) && readers[in.index()].size() == 1) {
      for (Port& port : result.inputs) {
        if (port.tensor == in) reshape_port(result, port, out);
      }
      erase[k] = true;
    } else if (is_output(result, out) && readers[out.index()].empty() && !is_input(result, in) &&
               !result.tensor(in).is_constant()) {
      for (Port& port : result.outputs) {
        if (port.tensor == out) reshape_port(result, port, in);
      }
      erase[k] = true;
    }
  }
  erase_ops(result, erase);
  return result;
}

}  // namespace thimble
