// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "thimble/rewrites/edit.h"
#include "thimble/rewrites/rewrites.h"
#include "thimble/target/kernels/kernel_uses.h"

namespace thimble {
namespace {

std::vector<int> inverse(const std::vector<int>& permutation) {
  std::vector<int> result(permutation.size());
  for (size_t k = 0; k < permutation.size(); ++k) {
    result[static_cast<size_t>(permutation[k])] = static_cast<int>(k);
  }
  return result;
}

// Kernels take a permuted operand if each of their axes walks one axis of it.
bool walks_axes_apart(const OperandAxes& walk) {
  return std::all_of(walk.axes.begin(), walk.axes.end(),
                     [](const std::vector<int>& merged) { return merged.size() <= 1; });
}

bool reads_in_any_order(const Graph& graph, const Op& op, TensorId tensor) {
  for (const KernelUse& use : kernel_uses(graph, op, Method::kCompute)) {
    for (size_t k = 0; k < use.inputs.size(); ++k) {
      if (op.inputs[static_cast<size_t>(use.inputs[k])] == tensor && !walks_axes_apart(use.in[k])) {
        return false;
      }
    }
  }
  return true;
}

bool writes_in_any_order(const Graph& graph, const Op& op) {
  const std::vector<KernelUse> uses = kernel_uses(graph, op, Method::kCompute);
  return std::all_of(uses.begin(), uses.end(),
                     [](const KernelUse& use) { return walks_axes_apart(use.out); });
}

}  // namespace

Graph fold_edge_transposes(Graph graph) {
  std::vector<bool> erase(graph.ops.size());
  // Ports move; who reads and makes a tensor stays.
  const std::vector<std::vector<OpId>> readers = consumers(graph);
  const std::vector<OpId> made_by = producers(graph);
  for (size_t k = 0; k < graph.ops.size(); ++k) {
    const auto* transpose = std::get_if<Transpose>(&graph.ops[k].attributes);
    if (transpose == nullptr) continue;
    const TensorId in = graph.ops[k].inputs[0], out = graph.ops[k].outputs[0];
    const OpId producer = made_by[in.index()];
    if (is_input(graph, in) && !is_output(graph, in) && !is_output(graph, out) &&
        readers[in.index()].size() == 1 &&
        std::all_of(readers[out.index()].begin(), readers[out.index()].end(), [&](OpId reader) {
          return reads_in_any_order(graph, graph.op(reader), out);
        })) {
      for (Port& port : graph.inputs) {
        if (port.tensor == in && port.order.empty()) {
          move_port(graph, port, out);
          port.order = inverse(transpose->permutation);
          erase[k] = true;
        }
      }
    } else if (is_output(graph, out) && readers[out.index()].empty() && producer.valid() &&
               readers[in.index()].size() == 1 && !is_output(graph, in) && !is_input(graph, in) &&
               writes_in_any_order(graph, graph.op(producer))) {
      for (Port& port : graph.outputs) {
        if (port.tensor == out && port.order.empty()) {
          move_port(graph, port, in);
          port.order = transpose->permutation;
          erase[k] = true;
        }
      }
    }
  }
  erase_ops(graph, erase);
  return graph;
}

}  // namespace thimble
