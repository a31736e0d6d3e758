// SPDX-License-Identifier: Apache-2.0
// A recurrent layer of int8 whose step is a network.
#include <algorithm>

#include "thimble/operators/operators.h"
#include "thimble/operators/overloads.h"
#include "thimble/operators/predicates.h"
#include "thimble/operators/step_rows.h"

namespace thimble {
namespace {

const Graph* step_of(const Op& op) { return std::get<StepLoop>(op.attributes).step.get(); }

bool is_one_sequence(const Graph& graph, const Op& op) {
  const OpView v{graph, op};
  return v.x().size() == 3 && v.x()[0] == 1 && v.in(1).shape.size() == 2 && v.in(1).shape[0] == 1 &&
         v.out().shape.size() == 3;
}

bool has_step(const Graph& graph, const Op& op) {
  const Graph* const step = step_of(op);
  if (step == nullptr || step->inputs.size() < 2 ||
      step->outputs.size() + 1 != step->inputs.size() || !step->states.empty() ||
      !step->accumulators.empty())
    return false;
  const OpView v{graph, op};
  int64_t state_bytes = 0;
  for (size_t k = 0; k < step->inputs.size(); ++k) {
    const Tensor& before = step->tensor(step->inputs[k].tensor);
    if (before.type != DType::kInt8 || !is_row(before.shape)) return false;
    if (k == 0) continue;
    state_bytes += before.shape.back();
    const Tensor& after = step->tensor(step->outputs[k - 1].tensor);
    if (elements(after.shape) != before.shape.back() || after.type != before.type ||
        after.quantization != before.quantization)
      return false;
  }
  return step->tensor(step->inputs[0].tensor).shape.back() == v.x()[2] &&
         state_bytes == v.in(1).shape[1];
}

bool states_are_made(const Graph&, const Op& op) {
  const Graph& step = *step_of(op);
  const std::vector<OpId> makers = producers(step);
  return std::ranges::all_of(step.outputs, [&](const Port& port) {
    return makers[step_row(step, makers, port.tensor).tensor.index()].valid();
  });
}

bool step_is_supported(const Graph&, const Op& op) {
  const Graph& step = *step_of(op);
  return std::ranges::all_of(step.ops, [&](const Op& inner) {
    return is_step_operator(step, inner) && unsupported_reason(step, inner).empty();
  });
}

bool quantised_as_step(const Graph& graph, const Op& op) {
  const Graph& step = *step_of(op);
  const OpView v{graph, op};
  const Tensor& state = step.tensor(step.inputs[1].tensor);
  return same_quantization(v.in(0), step.tensor(step.inputs[0].tensor)) &&
         same_quantization(v.in(1), state) && same_quantization(v.out(), state);
}

}  // namespace

AccessMap access_map_of(const StepLoop&, const OpView& v) {
  AccessMap map;
  for (size_t k = 0; k < v.inputs(); ++k)
    map.push_back({.axes = std::vector<AxisMap>(v.in(k).shape.size(), Whole{})});
  return map;
}

// The sequence is whole.
int64_t macs_of(const StepLoop& a, const OpView& v, const Region& region) {
  return empty(region) ? 0 : v.x()[1] * macs(*a.step);
}

Shape output_shape_of(const StepLoop& a, const OpView& v) {
  return {1, a.last_alone ? 1 : v.x()[1], a.step->tensor(a.step->inputs[1].tensor).shape.back()};
}

Traits traits_of(const StepLoop&) { return {}; }

std::vector<Constraint> constraints_of(const StepLoop&) {
  return {
      kTwoInputs,
      {"the sequence has 3 axes (1, time, channels), the states 2, the output 3", is_one_sequence},
      kAllInt8,
      {"the step takes a row of the sequence and all states, and makes all states", has_step},
      {"the step's operators are FULLY_CONNECTED, ADD, SUB, MUL, LOGISTIC, TANH, RESHAPE and "
       "SLICE of int8 on one row",
       step_is_supported},
      {"the step computes every state", states_are_made},
      kAllHaveOneScale,
      {"sequence, states and output have the scales that they have in the step", quantised_as_step},
      kOutputShape};
}

}  // namespace thimble
