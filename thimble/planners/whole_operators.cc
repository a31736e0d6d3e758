// SPDX-License-Identifier: Apache-2.0
#include "thimble/planners/whole_operators.h"

#include <algorithm>

namespace thimble {
namespace {

OpId op_id(size_t k) { return {static_cast<int32_t>(k)}; }

// One buffer for each activation tensor that the network uses, made when first asked for.
class TensorBuffers {
 public:
  TensorBuffers(const Graph& graph, Schedule& schedule)
      : graph_(graph), schedule_(schedule), of_(graph.tensors.size()) {}

  BufferId of(TensorId tensor) {
    if (graph_.tensor(tensor).is_constant()) return {};
    BufferId& id = of_[tensor.index()];
    if (!id.valid()) {
      id = {static_cast<int32_t>(schedule_.buffers.size())};
      schedule_.buffers.push_back(whole_buffer(graph_, tensor));
    }
    return id;
  }

  BufferId of(const Port& port) {
    const BufferId id = of(port.tensor);
    schedule_.buffers[id.index()].order = port.order;
    return id;
  }

 private:
  const Graph& graph_;
  Schedule& schedule_;
  std::vector<BufferId> of_;
};

Step whole_step(const Graph& graph, OpId id, Method method, TensorBuffers& buffers,
                Schedule& schedule) {
  const Op& op = graph.op(id);
  Step step{
      .op = id, .method = method, .region = region_expr(whole(graph.tensor(op.outputs[0]).shape))};
  for (TensorId t : op.inputs) step.in.push_back(buffers.of(t));
  step.out = buffers.of(op.outputs[0]);
  if (const Scratch needed = scratch(graph, op, method); needed.size_bytes > 0)
    step.scratch = add_scratch(schedule, needed);
  return step;
}

// Inputs whose bytes the output can take, as far as one operator alone can tell.
std::vector<OrderProblem::Op::InPlace> in_place_inputs(const Graph& graph, const InputLeads& leads,
                                                       OpId id) {
  std::vector<OrderProblem::Op::InPlace> result;
  const Op& op = graph.op(id);
  const int64_t out_bytes = graph.tensor(op.outputs[0]).size_bytes();
  for (const InputLead& lead : leads.of(id)) {
    if (lead.bytes <= 0 && graph.tensor(lead.input).size_bytes() >= out_bytes)
      result.push_back({lead.input.value, scratch(graph, op, Method::kCompute).size_bytes});
  }
  const bool lie_alike = !graph.tensor(op.inputs[0]).is_constant() &&
                         leads.lies_row_major(op.inputs[0]) && leads.lies_row_major(op.outputs[0]);
  if (result.empty() && lie_alike && has_kernel(graph, op, Method::kInPlace)) {
    result.push_back({op.inputs[0].value, scratch(graph, op, Method::kInPlace).size_bytes});
  }
  return result;
}

// These tensors lie outside of the arena.
void leave_out(const std::vector<int>& tensors, OrderProblem& problem) {
  const auto outside = [&](int t) { return std::ranges::find(tensors, t) != tensors.end(); };
  for (const int t : tensors) problem.size_bytes[static_cast<size_t>(t)] = 0;
  for (OrderProblem::Op& op : problem.ops) {
    if (std::ranges::any_of(op.outputs, outside)) op.in_place.clear();
    std::erase_if(op.in_place, [&](const auto& way) { return outside(way.input); });
  }
}

// Whether only the in-place kernel lets the operator into the input's bytes.
bool needs_in_place_kernel(const Graph& graph, const OrderProblem& problem, size_t op) {
  return !problem.ops[op].in_place.empty() && has_kernel(graph, graph.ops[op], Method::kInPlace);
}

}  // namespace

OrderProblem order_problem(const Graph& graph, bool in_place, const PortPlaces& ports) {
  OrderProblem problem;
  const InputLeads leads(graph);
  for (const Tensor& t : graph.tensors)
    problem.size_bytes.push_back(t.is_constant() ? 0 : t.size_bytes());
  for (const Port& port : graph.inputs) problem.inputs.push_back(port.tensor.value);
  for (const Port& port : graph.outputs) problem.outputs.push_back(port.tensor.value);
  for (size_t k = 0; k < graph.ops.size(); ++k) {
    const Op& op = graph.ops[k];
    OrderProblem::Op entry{.inputs = {},
                           .outputs = {},
                           .scratch_bytes = scratch(graph, op, Method::kCompute).size_bytes,
                           .in_place = {}};
    for (TensorId t : op.inputs) {
      if (!graph.tensor(t).is_constant() &&
          std::find(entry.inputs.begin(), entry.inputs.end(), t.value) == entry.inputs.end()) {
        entry.inputs.push_back(t.value);
      }
    }
    for (TensorId t : op.outputs) entry.outputs.push_back(t.value);
    if (in_place) entry.in_place = in_place_inputs(graph, leads, op_id(k));
    problem.ops.push_back(std::move(entry));
  }
  if (ports.input != Place::kResident) leave_out(problem.inputs, problem);
  if (ports.output != Place::kResident) leave_out(problem.outputs, problem);
  return problem;
}

Schedule whole_operator_schedule(const Graph& graph, const OrderProblem& problem,
                                 const Order& order, bool in_place) {
  Schedule schedule;
  TensorBuffers buffers(graph, schedule);
  for (const Port& port : graph.inputs) schedule.inputs.push_back(buffers.of(port));
  const std::vector<int64_t> held =
      held_bytes(lives(problem, order.ops), problem.size_bytes, static_cast<int>(order.ops.size()));
  std::vector<int> readers_left(graph.tensors.size());
  for (const OrderProblem::Op& op : problem.ops) {
    for (int t : op.inputs) ++readers_left[static_cast<size_t>(t)];
  }
  for (int t : problem.outputs) ++readers_left[static_cast<size_t>(t)];  // the caller reads it last
  for (size_t at = 0; at < order.ops.size(); ++at) {
    const auto k = static_cast<size_t>(order.ops[at]);
    const OrderProblem::Op& op = problem.ops[k];
    auto dies = [&](int t) { return readers_left[static_cast<size_t>(t)] == 1; };
    Method method = Method::kCompute;
    if (in_place && needs_in_place_kernel(graph, problem, k) && dies(op.in_place[0].input)) {
      int64_t apart = held[at] + op.scratch_bytes;
      for (const int t : op.outputs) apart += problem.size_bytes[static_cast<size_t>(t)];
      if (apart > order.peak_bytes) method = Method::kInPlace;
    }
    const Step step = whole_step(graph, op_id(k), method, buffers, schedule);
    if (in_place) {
      for (const auto& way : op.in_place) {
        const bool possible =
            method == Method::kInPlace || !needs_in_place_kernel(graph, problem, k);
        if (possible && dies(way.input)) {
          schedule.shares.push_back({step.out, buffers.of(TensorId{way.input})});
        }
      }
    }
    schedule.nodes.push_back({step});
    for (int t : op.inputs) --readers_left[static_cast<size_t>(t)];
  }
  for (const Port& port : graph.outputs) schedule.outputs.push_back(buffers.of(port));
  return schedule;
}

}  // namespace thimble
