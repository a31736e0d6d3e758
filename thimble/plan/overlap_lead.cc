// SPDX-License-Identifier: Apache-2.0
#include "thimble/plan/overlap_lead.h"

#include <algorithm>

#include "thimble/analysis/leads.h"
#include "thimble/operators/operators.h"

namespace thimble {
namespace {

bool lies_row_major(const Dataflow& flow, ValueId v) {
  return flow.is_sums(v) || flow.instances.value(v).axis_order.empty();
}

/// A tensor of the value's shape, or of its sums'.
Tensor tensor_of(const Dataflow& flow, ValueId v) {
  return {.shape = flow.shape(v), .type = flow.whole_buffer(v).type};
}

InputMap same_place(size_t rank) {
  InputMap map;
  for (size_t axis = 0; axis < rank; ++axis)
    map.axes.push_back(Affine{.out_axis = static_cast<int>(axis)});
  return map;
}

}  // namespace

bool may_overlap(const Dataflow& flow, ValueId out, ValueId in) {
  const auto lies_in_arena = [&](ValueId v) {
    return flow.is_sums(v) || (flow.instances.value(v).memory == kArena && !flow.is_constant(v));
  };
  if (out == in || !lies_in_arena(out) || !lies_in_arena(in)) return false;
  const bool writes_input =
      std::ranges::find(flow.instances.inputs, out) != flow.instances.inputs.end();
  return !writes_input && (flow.is_sums(in) || !flow.is_output[in.index()]);
}

std::optional<ValueLead> call_lead(const Dataflow& flow, const InstanceCall& call, ValueId in) {
  const ValueId out = flow.made_by(call);
  const std::span<const ValueId> read = flow.read_by(call);
  if (!may_overlap(flow, out, in)) return std::nullopt;
  const OpId id = flow.instances.instance(call.instance).op;
  const bool alike = lies_row_major(flow, out) && lies_row_major(flow, in);
  if (call.method == Method::kInPlace) {
    const bool takes = id.valid() ? alike
                                  : relayouts_in_place(flow.graph, flow.instances.value(in),
                                                       flow.instances.value(out));
    return takes && read[0] == in ? std::optional(ValueLead{.same_address = true}) : std::nullopt;
  }
  if (!id.valid() || call.method == Method::kAccumulate || !alike) return std::nullopt;
  const Op& op = flow.graph.op(id);
  const AccessMap maps = access_map(flow.graph, op);
  const Progress progress =
      kernel_progress(flow.graph, id, maps, flow.axes.kernel_uses(), call.method);
  const Tensor from = tensor_of(flow, in), to = tensor_of(flow, out);
  std::optional<int64_t> lead;
  for (size_t k = 0; k < read.size(); ++k) {
    if (read[k] != in) continue;
    const int64_t bytes = call.method == Method::kFinalise
                              ? whole_lead(progress, same_place(to.shape.size()), from, to)
                              : whole_lead(progress, maps[k], from, to);
    lead = std::max(lead.value_or(bytes), bytes);
  }
  if (!lead || *lead >= to.size_bytes()) return std::nullopt;
  return ValueLead{*lead, false};
}

}  // namespace thimble
