// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "thimble/rewrites/edit.h"
#include "thimble/rewrites/rewrites.h"

namespace thimble {
namespace {

/// Whether the values are there, or needed, beyond the operators: perhaps outside of the arena.
bool is_kept(const Graph& graph, TensorId tensor) {
  return is_input(graph, tensor) || is_output(graph, tensor);
}

/// Whether two operators compute the same.
bool are_twins(const Graph& graph, const Op& a, const Op& b) {
  if (a.outputs.size() != 1 || b.outputs.size() != 1) return false;
  const Tensor &of_a = graph.tensor(a.outputs[0]), &of_b = graph.tensor(b.outputs[0]);
  return a.attributes == b.attributes && a.inputs == b.inputs && of_a.shape == of_b.shape &&
         of_a.type == of_b.type && of_a.quantization == of_b.quantization;
}

/// Whether all readers of an operand are its twins, and its output may stand for the operand.
bool stands_for(const Graph& graph, const Op& op, TensorId in, const std::vector<OpId>& readers) {
  if (graph.tensor(in).is_constant() || is_kept(graph, in) || readers.size() < 2) return false;
  if (graph.tensor(op.outputs[0]).size_bytes() > graph.tensor(in).size_bytes()) return false;
  return std::ranges::all_of(readers, [&](OpId other) {
    return are_twins(graph, op, graph.op(other)) && !is_kept(graph, graph.op(other).outputs[0]);
  });
}

}  // namespace

// Once the first twin has executed, its output stands in place of what they read and is no larger,
// so any order of the graph has one of the result that needs no more. With a reader of another kind
// both would have to be live; twins can then be better executed one by one.
Graph merge_twins(Graph graph) {
  std::vector<std::vector<OpId>> readers = consumers(graph);
  std::vector<bool> erase(graph.ops.size());
  for (size_t k = 0; k < graph.ops.size(); ++k) {
    if (erase[k]) continue;
    const Op& op = graph.ops[k];
    const auto in = std::ranges::find_if(
        op.inputs, [&](TensorId t) { return stands_for(graph, op, t, readers[t.index()]); });
    if (in == op.inputs.end()) continue;
    const TensorId out = op.outputs[0];
    const std::vector<OpId> twins = readers[in->index()];
    for (const OpId twin : twins) {
      if (twin.index() == k) continue;
      erase[twin.index()] = true;
      const TensorId same = graph.op(twin).outputs[0];
      for (const OpId reader : readers[same.index()]) {
        std::ranges::replace(graph.ops[reader.index()].inputs, same, out);
        readers[out.index()].push_back(reader);
      }
      for (const TensorId t : op.inputs) std::erase(readers[t.index()], twin);
    }
    std::ranges::sort(readers[out.index()], {}, [](OpId id) { return id.index(); });
    readers[out.index()].erase(
        std::unique(readers[out.index()].begin(), readers[out.index()].end()),
        readers[out.index()].end());
  }
  erase_ops(graph, erase);
  return graph;
}

}  // namespace thimble
