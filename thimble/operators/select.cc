// SPDX-License-Identifier: Apache-2.0
// SELECT_V2: one of two inputs, element by element, with broadcasting.
#include "thimble/operators/maps.h"
#include "thimble/operators/overloads.h"
#include "thimble/operators/predicates.h"

namespace thimble {

namespace {

bool three_inputs(const Graph&, const Op& op) { return op.inputs.size() == 3; }

bool selected_are_of_one_type(const Graph& graph, const Op& op) {
  const OpView v{graph, op};
  const DType type = v.out().type;
  return v.in(0).type == DType::kBool && v.in(1).type == type && v.in(2).type == type;
}

bool selected_have_one_quantization(const Graph& graph, const Op& op) {
  const OpView v{graph, op};
  return same_quantization(v.in(1), v.out()) && same_quantization(v.in(2), v.out());
}

}  // namespace

AccessMap access_map_of(const Select&, const OpView& v) {
  const Shape& out = v.out().shape;
  return {broadcast_map(v.in(0).shape, out), broadcast_map(v.in(1).shape, out),
          broadcast_map(v.in(2).shape, out)};
}

int64_t macs_of(const Select&, const OpView&, const Region&) { return 0; }

Shape output_shape_of(const Select&, const OpView& v) {
  return broadcast_shape(broadcast_shape(v.in(0).shape, v.in(1).shape), v.in(2).shape);
}

Traits traits_of(const Select&) { return {}; }

std::vector<Constraint> constraints_of(const Select&) {
  return {
      {"there are 3 inputs", three_inputs},
      kRankAtMost6,
      {"the condition is bool, and the other inputs and the output have one type",
       selected_are_of_one_type},
      {"both other inputs have the output's scale and zero point", selected_have_one_quantization},
      kShapesBroadcast,
      kOutputShape};
}

}  // namespace thimble
