// SPDX-License-Identifier: Apache-2.0
#include "thimble/plan/order_problem.h"

#include <algorithm>

namespace thimble {

// Per tensor, as operators find it: what only copies touch does not count.
InputLeads input_leads(const Graph& graph, const Instances& instances) {
  std::vector<bool> result(graph.tensors.size(), true);
  const auto note = [&](ValueId id) {
    const Value& value = instances.value(id);
    result[value.tensor.index()] = value.axis_order.empty();
  };
  for (const Instance& instance : instances.list) {
    if (!instance.op.valid()) continue;
    std::ranges::for_each(instance.reads, note);
    note(instance.makes);
  }
  return {graph, std::move(result)};
}

namespace {

class InPlaceInputs {
 public:
  InPlaceInputs(const Graph& graph, const Instances& instances)
      : graph_(graph), instances_(instances), leads_(input_leads(graph, instances)) {}

  [[nodiscard]] std::vector<OrderProblem::Op::InPlace> inputs_of(const Instance& instance) const {
    if (instances_.value(instance.makes).memory != kArena) return {};
    std::vector<OrderProblem::Op::InPlace> result =
        instance.op.valid() ? of_operator(instance) : of_copy(instance);
    std::erase_if(
        result, [&](const auto& each) { return instances_.value({each.input}).memory != kArena; });
    return result;
  }

 private:
  // Inputs as far as one operator alone can tell.
  [[nodiscard]] std::vector<OrderProblem::Op::InPlace> of_operator(const Instance& instance) const {
    const Op& op = graph_.op(instance.op);
    std::vector<OrderProblem::Op::InPlace> result;
    const auto add = [&](size_t operand, Method method) {
      result.push_back({instance.reads[operand].value, scratch(graph_, op, method).size_bytes});
    };
    const int64_t out_bytes = graph_.tensor(op.outputs[0]).size_bytes();
    for (const InputLead& lead : leads_.leads_of(instance.op)) {
      if (lead.bytes > 0 || graph_.tensor(lead.input).size_bytes() < out_bytes) continue;
      const auto operand = std::ranges::find(op.inputs, lead.input) - op.inputs.begin();
      add(static_cast<size_t>(operand), Method::kCompute);
    }
    const bool lie_alike = !graph_.tensor(op.inputs[0]).is_constant() &&
                           leads_.lies_row_major(op.inputs[0]) &&
                           leads_.lies_row_major(op.outputs[0]);
    if (result.empty() && lie_alike && has_kernel(graph_, op, Method::kInPlace))
      add(0, Method::kInPlace);
    return result;
  }

  [[nodiscard]] std::vector<OrderProblem::Op::InPlace> of_copy(const Instance& instance) const {
    const ValueId from = instance.reads[0];
    if (!relayouts_in_place(graph_, instances_.value(from), instances_.value(instance.makes)))
      return {};
    return {{.input = from.value}};
  }

  const Graph& graph_;
  const Instances& instances_;
  InputLeads leads_;
};

}  // namespace

OrderProblem order_problem(const Graph& graph, const Instances& instances, bool in_place) {
  OrderProblem problem;
  for (const Value& value : instances.values) {
    problem.size_bytes.push_back(arena_bytes(graph, value));
  }
  for (const ValueId id : instances.inputs) problem.inputs.push_back(id.value);
  for (const ValueId id : instances.outputs) problem.outputs.push_back(id.value);
  const InPlaceInputs in_place_inputs(graph, instances);
  for (const Instance& instance : instances.list) {
    OrderProblem::Op& op = problem.ops.emplace_back();
    op.scratch_bytes = instance.op.valid()
                           ? scratch(graph, graph.op(instance.op), Method::kCompute).size_bytes
                           : passage_bytes(instances, instance);
    for (const ValueId id : instance.reads) {
      const bool constant = graph.tensor(instances.value(id).tensor).is_constant();
      if (!constant && std::ranges::find(op.inputs, id.value) == op.inputs.end())
        op.inputs.push_back(id.value);
    }
    op.outputs = {instance.makes.value};
    if (in_place) op.in_place = in_place_inputs.inputs_of(instance);
  }
  return problem;
}

}  // namespace thimble
