// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "thimble/reference/activation_range.h"
#include "thimble/reference/bounds.h"
#include "thimble/reference/elements.h"
#include "thimble/rewrites/edit.h"
#include "thimble/rewrites/rewrites.h"

namespace thimble {
namespace {

using reference::activation_range;
using reference::ActivationRange;

bool all_within(const ValueRanges& intervals, ActivationRange range) {
  return !intervals.empty() && std::ranges::all_of(intervals, [&](const ValueRange& i) {
    return range.min <= i.low && i.high <= range.max;
  });
}

/// The fused activation, if the operator has one.
Activation* activation_of(Op& op) {
  return std::visit(
      [](auto& a) -> Activation* {
        if constexpr (requires { a.activation; }) return &a.activation;
        return nullptr;
      },
      op.attributes);
}

/// A RELU or RELU6 between tensors of one quantisation, which then only clamps.
bool is_idle(const Graph& graph, const Op& op, const std::vector<ValueRanges>& bounds) {
  const bool relu = std::holds_alternative<Relu>(op.attributes);
  if (!relu && !std::holds_alternative<Relu6>(op.attributes)) return false;
  const Tensor &in = graph.tensor(op.inputs[0]), &out = graph.tensor(op.outputs[0]);
  if (in.type != out.type || in.quantization != out.quantization) return false;
  return all_within(bounds[op.inputs[0].index()],
                    activation_range(relu ? Activation::kRelu : Activation::kRelu6, out));
}

}  // namespace

Graph remove_idle_clamps(const Graph& graph) {
  const std::vector<ValueRanges> bounds = channel_bounds(graph);
  Graph result = graph;
  std::vector<bool> erase(graph.ops.size());
  for (size_t k = 0; k < graph.ops.size(); ++k) {
    Op& op = result.ops[k];
    Activation* activation = activation_of(op);
    if (activation != nullptr && *activation != Activation::kNone) {
      const Tensor& out = graph.tensor(op.outputs[0]);
      const ActivationRange range = activation_range(*activation, out);
      Activation fused = Activation::kNone;
      if (range == activation_range(fused, out)) continue;  // nothing to gain
      std::swap(*activation, fused);
      if (!all_within(output_bounds(result, op, bounds), range)) *activation = fused;
    } else if (is_idle(graph, graph.ops[k], bounds) && !is_output(result, op.outputs[0])) {
      erase[k] = true;
      redirect(result, op.outputs[0], op.inputs[0]);
    }
  }
  erase_ops(result, erase);
  return result;
}

}  // namespace thimble
