// SPDX-License-Identifier: Apache-2.0
// Recurrent layers in float32 whose only state is the hidden one: RNN and GRU.
#include "thimble/operators/overloads.h"
#include "thimble/operators/predicates.h"

namespace thimble {
namespace {

constexpr size_t kRecurrentOperands = 5;

bool has_recurrent_operands(const Graph&, const Op& op) {
  return op.inputs.size() == kRecurrentOperands;
}

bool recurrent_ranks_fit(const Graph& graph, const Op& op) {
  const OpView v{graph, op};
  return v.x().size() == 3 && v.in(1).shape.size() == 2 && v.in(2).shape.size() == 3 &&
         v.in(3).shape.size() == 3 && v.in(4).shape.size() == 2;
}

bool recurrent_constants(const Graph& graph, const Op& op) {
  const OpView v{graph, op};
  return v.in(2).is_constant() && v.in(3).is_constant() && v.in(4).is_constant();
}

bool recurrent_extents_fit(const Graph& graph, const Op& op) {
  const OpView v{graph, op};
  const Cell cell = std::get<Recurrent>(op.attributes).cell;
  const int64_t gates = gates_of(cell), units = v.in(1).shape[1];
  return v.in(1).shape[0] == v.x()[0] && v.in(2).shape == Shape{gates, units, v.x()[2]} &&
         v.in(3).shape == Shape{gates, units, units} &&
         v.in(4).shape == Shape{biases_of(cell), units};
}

}  // namespace

AccessMap access_map_of(const Recurrent&, const OpView& v) {
  AccessMap map;
  for (size_t k = 0; k < kRecurrentOperands; ++k)
    map.push_back({.axes = std::vector<AxisMap>(v.in(k).shape.size(), Whole{})});
  return map;
}

// Sequences are whole.
int64_t macs_of(const Recurrent& a, const OpView& v, const Region& region) {
  if (empty(region)) return 0;
  const int64_t units = v.in(1).shape[1];
  return v.x()[0] * v.x()[1] * gates_of(a.cell) * units * (v.x()[2] + units);
}

Shape output_shape_of(const Recurrent&, const OpView& v) {
  return {v.x()[0], v.x()[1], v.in(1).shape[1]};
}

Traits traits_of(const Recurrent&) { return {}; }

std::vector<Constraint> constraints_of(const Recurrent&) {
  return {
      {"there are 5 inputs: the sequence, the hidden state, weights of both, and biases",
       has_recurrent_operands},
      {"the sequence has 3 axes (batch, time, channels), the hidden state 2, weights 3 (gate, "
       "unit, input), biases 2 (gate, unit)",
       recurrent_ranks_fit},
      kAllFloat32,
      {"weights and biases are constants", recurrent_constants},
      {"weights, biases and hidden state have the extents that follow from batch, inputs, units "
       "and gates (RNN 1; GRU 3, and 4 biases unless it resets before the product)",
       recurrent_extents_fit},
      kOutputShape};
}

}  // namespace thimble
