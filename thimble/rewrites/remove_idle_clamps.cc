// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "thimble/reference/activation_range.h"
#include "thimble/rewrites/edit.h"
#include "thimble/rewrites/rewrites.h"

namespace thimble {
namespace {

using reference::activation_range;
using reference::ActivationRange;

bool all_within(const ValueRanges& values, ActivationRange range) {
  return !values.empty() && std::ranges::all_of(values, [&](const ValueRange& i) {
    return range.min <= i.low && i.high <= range.max;
  });
}

/// Values that a clamp left, of a type: at its ends they may be others that it moved.
ActivationRange untouched(ActivationRange clamp, ActivationRange type) {
  return {clamp.min == type.min ? type.min : clamp.min + 1,
          clamp.max == type.max ? type.max : clamp.max - 1};
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

/// A RELU or RELU6 between tensors of one quantisation only clamps.
std::optional<Activation> lone_clamp(const Graph& graph, const Op& op) {
  const Tensor &in = graph.tensor(op.inputs[0]), &out = graph.tensor(op.outputs[0]);
  if (in.type != out.type || in.quantization != out.quantization) return std::nullopt;
  if (const auto* relu = std::get_if<Relu>(&op.attributes)) return relu->range;
  if (std::holds_alternative<Relu6>(op.attributes)) return Activation::kRelu6;
  return std::nullopt;
}

}  // namespace

Graph remove_idle_clamps(const Graph& graph, const std::vector<ValueRanges>& bounds) {
  Graph result = graph;
  std::vector<bool> erase(graph.ops.size());
  ReadInstead instead(result);
  for (size_t k = 0; k < graph.ops.size(); ++k) {
    const TensorId in = graph.ops[k].inputs[0], out = graph.ops[k].outputs[0];
    instead.read_by(result.ops[k]);
    if (is_float32(graph, graph.ops[k])) continue;  // without bounds
    Activation* fused = activation_of(result.ops[k]);
    if (const std::optional<Activation> alone = lone_clamp(graph, graph.ops[k])) {
      const ActivationRange clamp = activation_range(*alone, graph.tensor(out));
      if (is_output(result, out) || !all_within(bounds[in.index()], clamp)) continue;
      erase[k] = true;
      instead.redirect(out, result.ops[k].inputs[0]);
    } else if (fused != nullptr && *fused != Activation::kNone) {
      const ActivationRange clamp = activation_range(*fused, graph.tensor(out));
      const ActivationRange type = activation_range(Activation::kNone, graph.tensor(out));
      if (clamp != type && all_within(bounds[out.index()], untouched(clamp, type)))
        *fused = Activation::kNone;
    }
  }
  erase_ops(result, erase);
  return result;
}

}  // namespace thimble
