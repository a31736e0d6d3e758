// SPDX-License-Identifier: Apache-2.0
#include "thimble/operators/operators.h"
#include "thimble/rewrites/edit.h"
#include "thimble/rewrites/rewrites.h"

namespace thimble {
namespace {

bool is_reshape(const Op& op) { return std::holds_alternative<Reshape>(op.attributes); }

// Operators that see their input as a row-major sequence, whatever its shape.
bool reads_any_shape(const Op& op) {
  return is_reshape(op) || std::holds_alternative<FullyConnected>(op.attributes);
}

// Operators whose output is a row-major sequence, whatever its shape.
bool writes_any_shape(const Op& op) {
  return is_reshape(op) || std::holds_alternative<FullyConnected>(op.attributes) ||
         std::holds_alternative<Mean>(op.attributes);
}

}  // namespace

Graph remove_reshapes(Graph graph) {
  std::vector<std::vector<OpId>> reads = consumers(graph);
  for (size_t k = 0; k < graph.ops.size(); ++k) {
    if (!is_reshape(graph.ops[k])) continue;
    const TensorId in = graph.ops[k].inputs[0], out = graph.ops[k].outputs[0];
    // Read through it; a reshape left without readers is dead.
    for (const OpId id : std::vector<OpId>(reads[out.index()])) {
      Op& reader = graph.ops[id.index()];
      if (!reads_any_shape(reader) || reader.inputs[0] != out) continue;
      reader.inputs[0] = in;
      if (unsupported_reason(graph, reader).empty()) {
        reads[in.index()].push_back(id);
      } else {
        reader.inputs[0] = out;
      }
    }
  }
  std::vector<bool> erase(graph.ops.size());
  std::vector<OpId> made_by = producers(graph);
  reads = consumers(graph);
  for (size_t k = 0; k < graph.ops.size(); ++k) {
    if (!is_reshape(graph.ops[k])) continue;
    const TensorId in = graph.ops[k].inputs[0], out = graph.ops[k].outputs[0];
    const OpId producer = made_by[in.index()];
    if (!producer.valid() || reads[in.index()].size() != 1 || is_output(graph, in)) continue;
    Op& op = graph.ops[producer.index()];
    if (!writes_any_shape(op)) continue;
    op.outputs[0] = out;
    if (unsupported_reason(graph, op).empty()) {
      erase[k] = true;
      made_by[out.index()] = producer;
      made_by[in.index()] = {};
    } else {
      op.outputs[0] = in;
    }
  }
  erase_ops(graph, erase);
  return remove_no_ops(remove_dead_ops(std::move(graph)));
}

}  // namespace thimble
