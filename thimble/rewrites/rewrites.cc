// SPDX-License-Identifier: Apache-2.0
#include "thimble/rewrites/rewrites.h"

#include <algorithm>

#include "thimble/reference/constant_folding.h"
#include "thimble/rewrites/edit.h"

namespace thimble {

RewrittenGraph rewrite_with_certificate(Graph graph, ConstantChannels channels) {
  Certificate certificate;
  graph = fold_constants(std::move(graph));  // first: paddings and operands become constants
  graph = remove_no_ops(std::move(graph));   // before reshapes: fewer links in their chains
  graph = remove_reshapes(std::move(graph));
  graph = fold_edge_reshapes(std::move(graph));
  graph =
      fold_edge_transposes(std::move(graph));  // before padding: a pad then sees the final layout
  graph = merge_padding(std::move(graph));
  graph = merge_twins(std::move(graph));
  // After reshapes and padding: fully connected layers read channels then, convolutions the image.
  if (channels == ConstantChannels::kRemoved) {
    const std::vector<ValueRanges> bounds = channel_bounds(graph);
    RewrittenGraph thinned = remove_constant_channels(remove_idle_clamps(graph, bounds), bounds);
    graph = std::move(thinned.graph);
    certificate = std::move(thinned.certificate);
  }
  // Last: sweeps up what the others disconnected.
  return {remove_dead_ops(std::move(graph)), std::move(certificate)};
}

Graph rewrite(Graph graph, ConstantChannels channels) {
  return rewrite_with_certificate(std::move(graph), channels).graph;
}

Graph fold_constants(Graph graph) {
  ConstantFolding folding;
  std::vector<bool> erase(graph.ops.size());
  for (size_t k = 0; k < graph.ops.size(); ++k) {
    const Op& op = graph.ops[k];
    const bool port = std::any_of(op.outputs.begin(), op.outputs.end(),
                                  [&](TensorId t) { return is_output(graph, t); });
    if (!port) erase[k] = folding.fold(graph, op);
  }
  erase_ops(graph, erase);
  return graph;
}

namespace {

struct IsNoOp {
  const Tensor& in;
  const Tensor& out;

  [[nodiscard]] bool same() const {
    return in.type == out.type && in.shape == out.shape && in.quantization == out.quantization;
  }
  bool operator()(const Reshape&) const { return in.shape == out.shape; }
  bool operator()(const Pad&) const { return in.shape == out.shape; }
  bool operator()(const Transpose& a) const {
    return std::is_sorted(a.permutation.begin(), a.permutation.end());
  }
  bool operator()(const Concat& a) const { return same() && a.activation == Activation::kNone; }
  bool operator()(const Quantize&) const { return same(); }
  bool operator()(const Slice& a) const {
    bool forwards = true;
    for (size_t k = 0; k < a.stride.size(); ++k) {
      forwards = forwards && (a.stride[k] == 1 || in.shape[k] == 1);
    }
    return in.shape == out.shape && forwards;
  }
  bool operator()(const ResizeBilinear&) const { return in.shape == out.shape; }
  bool operator()(const ResizeNearestNeighbor& a) const {  // both: one row on
    return in.shape == out.shape && !(a.align_corners && a.half_pixel_centers);
  }
  template <class A>
  bool operator()(const A&) const {
    return false;
  }  // if it is its input, by chance of the values
};

/// What callers have, while the network computes in int8.
bool is_callers(DType type) { return type == DType::kFloat32 || type == DType::kUInt8; }

}  // namespace

Graph remove_no_ops(Graph graph) {
  std::vector<bool> erase(graph.ops.size());
  ReadInstead instead(graph);
  for (size_t k = 0; k < graph.ops.size(); ++k) {
    Op& op = graph.ops[k];
    instead.read_by(op);
    if (op.inputs.size() != 1) continue;
    const TensorId in = op.inputs[0], out = op.outputs[0];
    // An output must have a buffer apart from inputs and constants, and no second port.
    const bool needed = is_output(graph, out) && (graph.tensor(in).is_constant() ||
                                                  is_input(graph, in) || is_output(graph, in));
    if (needed || !std::visit(IsNoOp{graph.tensor(in), graph.tensor(out)}, op.attributes)) continue;
    erase[k] = true;
    instead.redirect(out, in);
  }
  erase_ops(graph, erase);
  return graph;
}

Graph remove_dead_ops(Graph graph) {
  std::vector<bool> needed(graph.tensors.size());
  for (const Port& port : graph.outputs) needed[port.tensor.index()] = true;
  for (const State& state : graph.states) needed[state.out.index()] = true;
  std::vector<bool> erase(graph.ops.size());
  for (size_t k = graph.ops.size(); k-- > 0;) {
    const Op& op = graph.ops[k];
    erase[k] = std::none_of(op.outputs.begin(), op.outputs.end(),
                            [&](TensorId t) { return needed[t.index()]; });
    if (erase[k]) continue;
    for (TensorId t : op.inputs) needed[t.index()] = true;
  }
  erase_ops(graph, erase);
  return graph;
}

Graph integer_io(Graph graph) {
  std::vector<bool> erase(graph.ops.size());
  const std::vector<std::vector<OpId>> readers = consumers(graph);  // ports alone move
  for (size_t k = 0; k < graph.ops.size(); ++k) {
    const Op& op = graph.ops[k];
    const TensorId in = op.inputs[0], out = op.outputs[0];
    if (is_state(graph, in) || is_state(graph, out)) continue;
    if (std::holds_alternative<Quantize>(op.attributes) && is_callers(graph.tensor(in).type) &&
        is_input(graph, in) && !is_output(graph, in) && readers[in.index()].size() == 1) {
      for (Port& port : graph.inputs) {
        if (port.tensor == in) move_port(graph, port, out);
      }
      erase[k] = true;
    }
    const bool opens = std::holds_alternative<Dequantize>(op.attributes) ||
                       (std::holds_alternative<Quantize>(op.attributes) &&
                        graph.tensor(out).type == DType::kUInt8);
    if (opens && is_output(graph, out) && readers[out.index()].empty() && !is_output(graph, in) &&
        !is_input(graph, in) && !graph.tensor(in).is_constant()) {
      for (Port& port : graph.outputs) {
        if (port.tensor == out) move_port(graph, port, in);
      }
      erase[k] = true;
    }
  }
  erase_ops(graph, erase);
  return graph;
}

}  // namespace thimble
