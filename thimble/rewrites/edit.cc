// SPDX-License-Identifier: Apache-2.0
#include "thimble/rewrites/edit.h"

#include <algorithm>

namespace thimble {

void ReadInstead::redirect(TensorId from, TensorId to) {
  instead_[from.index()] = to;
  for (Port& port : graph_.outputs) {
    if (port.tensor == from) move_port(graph_, port, to);
  }
  for (State& state : graph_.states) {
    if (state.out == from) state.out = to;
  }
}

void ReadInstead::read_by(Op& op) const {
  for (TensorId& read : op.inputs) {
    if (instead_[read.index()].valid()) read = instead_[read.index()];
  }
}

void erase_ops(Graph& graph, const std::vector<bool>& erase) {
  size_t kept = 0;
  for (size_t k = 0; k < graph.ops.size(); ++k) {
    if (erase[k]) continue;
    if (kept != k) graph.ops[kept] = std::move(graph.ops[k]);
    ++kept;
  }
  graph.ops.resize(kept);
}

void move_port(Graph& graph, Port& port, TensorId tensor) {
  graph.tensor(tensor).name = graph.tensor(port.tensor).name;
  port.tensor = tensor;
}

bool is_state(const Graph& graph, TensorId tensor) {
  return std::ranges::any_of(graph.states,
                             [&](const State& s) { return s.in == tensor || s.out == tensor; });
}

bool is_input(const Graph& graph, TensorId tensor) {
  return std::any_of(graph.inputs.begin(), graph.inputs.end(),
                     [&](const Port& port) { return port.tensor == tensor; }) ||
         std::ranges::find(graph.states, tensor, &State::in) != graph.states.end();
}

bool is_output(const Graph& graph, TensorId tensor) {
  return std::any_of(graph.outputs.begin(), graph.outputs.end(),
                     [&](const Port& port) { return port.tensor == tensor; }) ||
         std::ranges::find(graph.states, tensor, &State::out) != graph.states.end();
}

}  // namespace thimble
