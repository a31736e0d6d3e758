// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "thimble/operators/operators.h"
#include "thimble/rewrites/edit.h"
#include "thimble/rewrites/rewrites.h"

namespace thimble {
namespace {

/// The port's bytes are those of `tensor`, too. It keeps its name and shape.
void move_port(Graph& graph, Port& port, TensorId tensor) {
  if (port.shape.empty()) port.shape = graph.tensor(port.tensor).shape;
  graph.tensor(tensor).name = graph.tensor(port.tensor).name;
  port.tensor = tensor;
}

bool has_state(const Graph& graph, TensorId t) {
  return std::ranges::any_of(graph.states, [&](const State& s) { return s.in == t || s.out == t; });
}

}  // namespace

Graph fold_edge_reshapes(const Graph& graph) {
  Graph result = graph;
  std::vector<bool> erase(result.ops.size());
  for (size_t k = 0; k < result.ops.size(); ++k) {
    if (!std::holds_alternative<Reshape>(result.ops[k].attributes)) continue;
    const TensorId in = result.ops[k].inputs[0], out = result.ops[k].outputs[0];
    if (has_state(result, in) || has_state(result, out) || is_output(result, in)) continue;
    const auto readers = consumers(result);
    if (is_input(result, in) && !is_output(result, out) && readers[in.index()].size() == 1) {
      for (Port& port : result.inputs) {
        if (port.tensor == in) move_port(result, port, out);
      }
      erase[k] = true;
    } else if (is_output(result, out) && readers[out.index()].empty() && !is_input(result, in) &&
               !result.tensor(in).is_constant()) {
      for (Port& port : result.outputs) {
        if (port.tensor == out) move_port(result, port, in);
      }
      erase[k] = true;
    }
  }
  erase_ops(result, erase);
  return result;
}

}  // namespace thimble
