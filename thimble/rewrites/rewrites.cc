// SPDX-License-Identifier: Apache-2.0
#include "thimble/rewrites/rewrites.h"

#include <algorithm>

#include "thimble/reference/constant_folding.h"
#include "thimble/rewrites/edit.h"

namespace thimble {

RewrittenGraph rewrite_with_certificate(const Graph& graph, ConstantChannels channels) {
  Certificate certificate;
  Graph result = fold_constants(graph);  // first: paddings and operands become constants
  result = remove_no_ops(result);        // before reshapes: fewer links in their chains
  result = remove_reshapes(result);
  result = fold_edge_reshapes(result);
  result = fold_edge_transposes(result);  // before padding: a pad then sees the final layout
  result = merge_padding(result);
  result = merge_twins(result);
  // After reshapes and padding: fully connected layers read channels then, convolutions the image.
  if (channels == ConstantChannels::kRemoved) {
    const std::vector<ValueRanges> bounds = channel_bounds(result);
    RewrittenGraph thinned = remove_constant_channels(remove_idle_clamps(result, bounds), bounds);
    result = std::move(thinned.graph);
    certificate = std::move(thinned.certificate);
  }
  // Last: sweeps up what the others disconnected.
  return {remove_dead_ops(result), std::move(certificate)};
}

Graph rewrite(const Graph& graph, ConstantChannels channels) {
  return rewrite_with_certificate(graph, channels).graph;
}

Graph fold_constants(const Graph& graph) {
  Graph result = graph;
  ConstantFolding folding;
  std::vector<bool> erase(result.ops.size());
  for (size_t k = 0; k < result.ops.size(); ++k) {
    const Op& op = result.ops[k];
    const bool port = std::any_of(op.outputs.begin(), op.outputs.end(),
                                  [&](TensorId t) { return is_output(result, t); });
    if (!port) erase[k] = folding.fold(result, op);
  }
  erase_ops(result, erase);
  return result;
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

Graph remove_no_ops(const Graph& graph) {
  Graph result = graph;
  std::vector<bool> erase(result.ops.size());
  ReadInstead instead(result);
  for (size_t k = 0; k < result.ops.size(); ++k) {
    Op& op = result.ops[k];
    instead.read_by(op);
    if (op.inputs.size() != 1) continue;
    const TensorId in = op.inputs[0], out = op.outputs[0];
    // An output must have a buffer apart from inputs and constants, and no second port.
    const bool needed = is_output(result, out) && (result.tensor(in).is_constant() ||
                                                   is_input(result, in) || is_output(result, in));
    if (needed || !std::visit(IsNoOp{result.tensor(in), result.tensor(out)}, op.attributes))
      continue;
    erase[k] = true;
    instead.redirect(out, in);
  }
  erase_ops(result, erase);
  return result;
}

Graph remove_dead_ops(const Graph& graph) {
  Graph result = graph;
  std::vector<bool> needed(result.tensors.size());
  for (const Port& port : result.outputs) needed[port.tensor.index()] = true;
  for (const State& state : result.states) needed[state.out.index()] = true;
  std::vector<bool> erase(result.ops.size());
  for (size_t k = result.ops.size(); k-- > 0;) {
    const Op& op = result.ops[k];
    erase[k] = std::none_of(op.outputs.begin(), op.outputs.end(),
                            [&](TensorId t) { return needed[t.index()]; });
    if (erase[k]) continue;
    for (TensorId t : op.inputs) needed[t.index()] = true;
  }
  erase_ops(result, erase);
  return result;
}

Graph integer_io(const Graph& graph) {
  Graph result = graph;
  std::vector<bool> erase(result.ops.size());
  const std::vector<std::vector<OpId>> readers = consumers(graph);  // ports alone move
  for (size_t k = 0; k < result.ops.size(); ++k) {
    const Op& op = result.ops[k];
    const TensorId in = op.inputs[0], out = op.outputs[0];
    if (is_state(result, in) || is_state(result, out)) continue;
    if (std::holds_alternative<Quantize>(op.attributes) && is_callers(result.tensor(in).type) &&
        is_input(result, in) && !is_output(result, in) && readers[in.index()].size() == 1) {
      for (Port& port : result.inputs) {
        if (port.tensor == in) move_port(result, port, out);
      }
      erase[k] = true;
    }
    const bool opens = std::holds_alternative<Dequantize>(op.attributes) ||
                       (std::holds_alternative<Quantize>(op.attributes) &&
                        result.tensor(out).type == DType::kUInt8);
    if (opens && is_output(result, out) && readers[out.index()].empty() && !is_output(result, in) &&
        !is_input(result, in) && !result.tensor(in).is_constant()) {
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
