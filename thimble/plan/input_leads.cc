// SPDX-License-Identifier: Apache-2.0
#include "thimble/plan/input_leads.h"

#include <algorithm>
#include <map>

#include "thimble/analysis/shared_bytes.h"

namespace thimble {
namespace {

// The operator and the tensors that it touches, as a network of their own: what else a large one
// holds costs nothing.
struct Alone {
  Graph graph;
  std::vector<TensorId> of;  // tensors of this one -> the same in the whole
};

Alone alone(const Graph& graph, OpId id) {
  Alone result;
  std::map<TensorId, TensorId> number;
  const auto numbered = [&](TensorId t) {
    const auto next = TensorId{static_cast<int32_t>(result.of.size())};
    const auto [known, added] = number.try_emplace(t, next);
    if (!added) return known->second;
    result.of.push_back(t);
    result.graph.tensors.push_back(graph.tensor(t));
    return next;
  };
  Op op = graph.op(id);
  for (TensorId& t : op.inputs) t = numbered(t);
  for (TensorId& t : op.outputs) t = numbered(t);
  result.graph.ops.push_back(std::move(op));
  return result;
}

std::vector<std::vector<int>> axis_orders_of_ports(const Graph& graph) {
  std::vector<std::vector<int>> result(graph.tensors.size());
  for (const auto* ports : {&graph.inputs, &graph.outputs}) {
    for (const Port& port : *ports) result[port.tensor.index()] = port.order;
  }
  return result;
}

}  // namespace

InputLeads::InputLeads(const Graph& graph) : InputLeads(graph, axis_orders_of_ports(graph)) {}
InputLeads::InputLeads(const Graph& graph, std::vector<std::vector<int>> axis_orders)
    : graph_(graph), axis_orders_(std::move(axis_orders)) {}

std::vector<InputLead> InputLeads::of(OpId id) const {
  const Alone single = alone(graph_, id);
  const Op& op = single.graph.op(OpId{0});
  Schedule schedule;  // buffer t holds tensor t
  for (size_t t = 0; t < single.of.size(); ++t) {
    schedule.buffers.push_back(whole_buffer(single.graph, TensorId{static_cast<int32_t>(t)}));
    schedule.buffers.back().order = axis_orders_[single.of[t].index()];
  }
  const auto buffer_of = [](TensorId t) { return BufferId{t.value}; };
  Step step{.op = {0},
            .region = region_expr(whole(single.graph.tensor(op.outputs[0]).shape)),
            .out = buffer_of(op.outputs[0])};
  for (const TensorId t : op.inputs)
    step.in.emplace_back(single.graph.tensor(t).is_constant() ? BufferId{} : buffer_of(t));
  for (const BufferId in : read_buffers(step)) schedule.shares.push_back({step.out, in});
  schedule.nodes.push_back({step});
  std::vector<InputLead> result;
  for (const SharedBytes& shared : shared_bytes(single.graph, schedule)) {
    const TensorId input = single.of[shared.in.index()];
    if (shared.lead_bytes && std::ranges::find(result, input, &InputLead::input) == result.end())
      result.push_back({input, *shared.lead_bytes});
  }
  return result;
}

}  // namespace thimble
